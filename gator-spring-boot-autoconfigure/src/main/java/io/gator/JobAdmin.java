package io.gator;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Looks at jobs and acts on them, in the whole cluster. An action on one job or one queue
 * is a single statement, so it happens as a whole or not at all. Nothing here takes part
 * in the caller's transaction. Thread-safe.
 * <p>
 * Every method throws the unchecked {@link org.springframework.dao.DataAccessException}
 * if the database cannot be reached, refuses a statement or does not answer in time. In
 * one process two calls look at tables or act on jobs at a time, those of the endpoint
 * included; a third one waits for up to five seconds and then fails. {@code cancel},
 * {@code pause} and {@code resume} do not wait for the others.
 */
public interface JobAdmin {

	/**
	 * Look at one job.
	 * @param id the id of the job
	 * @return the job; empty if there is none, or it is no longer in the history
	 */
	Optional<JobInfo> find(long id);

	/**
	 * List jobs by id, a page at a time. If only a few of very many jobs match, a page
	 * reads the whole table, which takes about a second for ten million jobs in memory; a
	 * page of succeeded or cancelled jobs always reads the whole history. A page that
	 * takes longer than a minute ends with an error. The arguments of all jobs of the
	 * page are held in memory.
	 * @param query which jobs
	 * @return the page, in the order of the ids; empty at the end
	 */
	List<JobInfo> list(JobQuery query);

	/**
	 * Cancel a job. A job that is not running ends at once. A running job is asked to
	 * stop, in whatever process it runs, by {@link JobContext#isCancelled()} and an
	 * interrupt: it is cancelled if its handler then throws anything, and has succeeded
	 * if the handler returns all the same. An item that runs in a batch with others is
	 * not interrupted, so that the others go on: it is cancelled before its next attempt,
	 * if there is one.
	 * @param id the id of the job
	 * @return whether there was a live job to cancel, or to ask
	 */
	boolean cancel(long id);

	/**
	 * Run a dead job, or one that waits for its retry, now. A dead job has all its
	 * attempts again; it keeps its error, so it is {@link JobState#FAILED} until it is
	 * claimed. If the job is a link of a chain, its success runs the rest of the chain,
	 * although the {@linkplain JobChain#onError onError job} was dispatched when the link
	 * died; if the link dies again, the {@code onError} job is dispatched again.
	 * <p>
	 * If another live job has the unique key by now, the retried job lives without the
	 * key, beside the other one.
	 * @param id the id of the job
	 * @return whether there was such a job
	 */
	boolean retry(long id);

	/**
	 * Let a job that waits be due at another time: sooner, later, or now, whether it was
	 * dispatched for now or for later, or waits for its retry. It keeps its attempts, its
	 * error and its unique key. What is due goes before the jobs of its queue that were
	 * dispatched for now.
	 * @param id the id of the job
	 * @param time the time, at most ten years ahead; one that is past by the database's
	 * clock means now
	 * @return whether there was such a job; {@code false} if it is claimed already, or
	 * over
	 * @throws IllegalArgumentException if the time is {@code null} or too far ahead
	 */
	boolean reschedule(long id, Instant time);

	/**
	 * Give up a dead job: it moves to the history.
	 * @param id the id of the job
	 * @return whether there was such a job
	 */
	boolean discard(long id);

	/**
	 * Retry all dead jobs that a query finds; its limit and position are ignored. Jobs
	 * that die meanwhile may be among them. A job whose unique key another live job has
	 * by now lives without the key, as in {@link #retry}; of several dead jobs with the
	 * same key, one takes it. A job whose unique key is being dispatched by a transaction
	 * that is still open stays dead. If more than three of a thousand jobs are held up
	 * this way, the call fails; jobs retried before that stay retried.
	 * @param query which jobs; its state is {@link JobState#DEAD}
	 * @return how many
	 * @throws IllegalArgumentException if its state is another
	 */
	long retryAll(JobQuery query);

	/**
	 * Discard all dead jobs that a query finds; its limit and position are ignored. Jobs
	 * that die meanwhile may be among them.
	 * @param query which jobs; its state is {@link JobState#DEAD}
	 * @return how many
	 * @throws IllegalArgumentException if its state is another
	 */
	long discardAll(JobQuery query);

	/**
	 * Claim nothing more from a queue, in the whole cluster. Jobs that run go on. Pools
	 * hear of the pause within milliseconds, at the latest with their next beat; until
	 * then they may still claim, even jobs that are dispatched after this method has
	 * returned. {@link WorkerInfo#queues()} tells when a pool has left the queue.
	 * @param queue the queue; it need not have been seen yet
	 * @throws IllegalArgumentException if that is not a valid name
	 */
	void pause(String queue);

	/**
	 * Claim from a queue again.
	 * @param queue the queue
	 * @throws IllegalArgumentException if that is not a valid name
	 */
	void resume(String queue);

	/**
	 * All queues. Each call counts their jobs exactly, which takes seconds if there are
	 * millions, and fails if it takes longer than {@code gator.statement-timeout}. To
	 * watch queues, read the meters {@code gator.queue.*} instead.
	 * @return the queues, by name
	 */
	List<QueueInfo> queues();

	/**
	 * All pools that are running.
	 * @return the pools, by id
	 */
	List<WorkerInfo> workers();

	/**
	 * All recurring jobs.
	 * @return the recurring jobs, by name
	 */
	List<RecurringInfo> recurring();

}
