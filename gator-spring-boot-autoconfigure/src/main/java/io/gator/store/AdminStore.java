package io.gator.store;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.gator.JobQuery;
import io.gator.QueueInfo;
import io.gator.RecurringInfo;
import io.gator.WorkerInfo;
import org.jspecify.annotations.Nullable;

/**
 * Looks at jobs, queues and pools, and acts on them. An action on one job is one
 * statement that says what it found. Thread-safe. Every method throws a
 * {@link StoreException} if the database cannot be reached, refuses a statement or does
 * not answer in time.
 */
public interface AdminStore {

	/**
	 * Look at one job, with its arguments and its result.
	 * @param id the id of the job
	 * @return the job; empty if there is none, or it is no longer in the history
	 */
	Optional<StoredJob> find(long id);

	/**
	 * List jobs by id, a page at a time.
	 * @param query which jobs
	 * @return the page, in the order of the ids; empty at the end
	 * @throws StoreException also if the whole table had to be read and that took longer
	 * than a minute
	 */
	List<StoredJob> list(JobQuery query);

	/**
	 * Cancel a live job, or ask the pool that runs it to do so.
	 * @param id the id of the job
	 * @return what was found
	 */
	Cancellation cancel(long id);

	/**
	 * Make a dead job, or one that waits for its retry, due now.
	 * @param id the id of the job
	 * @return its queue; empty if there was no such job
	 */
	Optional<String> retry(long id);

	/**
	 * Let a job that nobody has claimed be due at another time.
	 * @param id the id of the job
	 * @param time the time; one that is past means now
	 * @return its queue; empty if there was no such job
	 */
	Optional<String> reschedule(long id, Instant time);

	/**
	 * Give up a dead job: it moves to the history.
	 * @param id the id of the job
	 * @return whether there was such a job
	 */
	boolean discard(long id);

	/**
	 * Retry some of the dead jobs that a query finds, those with the smallest ids.
	 * @param query which ones; its limit says how many at most
	 * @return what was found, in no particular order
	 */
	List<Retried> retrySome(JobQuery query);

	/**
	 * Discard some of the dead jobs that a query finds, those with the smallest ids.
	 * @param query which ones; its limit says how many at most
	 * @return what was found, in no particular order
	 */
	List<Discarded> discardSome(JobQuery query);

	/**
	 * Let no pool claim from a queue. If the queue is paused already, it keeps the time
	 * at which that began.
	 * @param queue the queue; its name is kept if it was not seen before
	 */
	void pause(String queue);

	/**
	 * Let pools claim from a queue again. Nothing happens if it is not paused.
	 * @param queue the queue
	 */
	void resume(String queue);

	/**
	 * All queues, with their jobs counted one by one: this reads the tables of live and
	 * of dead jobs.
	 * @return the queues, by name
	 */
	List<QueueInfo> queues();

	/**
	 * All pools of the cluster whose lease is not over.
	 * @return the pools, by id
	 */
	List<WorkerInfo> workers();

	/**
	 * All recurring jobs, those included that no process ticks any more.
	 * @return the recurring jobs, by name
	 */
	List<RecurringInfo> recurring();

	/**
	 * Let all pools of the cluster ask at once what has changed.
	 */
	void notifyChange();

	/**
	 * What a cancellation found.
	 */
	enum Cancellation {

		/** No live job. */
		NOTHING,

		/** A job that was not running, and is over now. */
		DONE,

		/** A running job, whose pool was asked to stop it. */
		ASKED

	}

	/**
	 * A dead job that was to be retried.
	 *
	 * @param id its id
	 * @param queue its queue; {@code null} if it could not be retried
	 */
	record Retried(long id, @Nullable String queue) {

	}

	/**
	 * A dead job that was to be discarded.
	 *
	 * @param id its id
	 * @param done whether it was; else it was not dead any more
	 */
	record Discarded(long id, boolean done) {

	}

}
