package io.gator;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One job as the database holds it at the moment of asking. Times are the database's.
 */
public interface JobInfo {

	/**
	 * The id of the job.
	 * @return the id
	 */
	long id();

	/**
	 * The name of the job.
	 * @return the name
	 */
	String name();

	/**
	 * The queue that it is on, or was on last.
	 * @return the queue
	 */
	String queue();

	/**
	 * The state.
	 * @return the state
	 */
	JobState state();

	/**
	 * The attempts that were charged, the running one included.
	 * @return the number of attempts
	 */
	int attempts();

	/**
	 * When the job was dispatched.
	 * @return the time of the dispatch
	 */
	Instant dispatchedAt();

	/**
	 * When the job is due next.
	 * @return the time; empty for "as soon as possible" and for jobs that have ended
	 */
	Optional<Instant> dueAt();

	/**
	 * When the running attempt was claimed.
	 * @return the time; empty if the job is not running
	 */
	Optional<Instant> claimedAt();

	/**
	 * The id of the pool that runs the job, as in {@link WorkerInfo#id()}.
	 * @return the id; empty if the job is not running
	 */
	Optional<Long> workerId();

	/**
	 * When the most recent finished attempt was claimed, which is when it started or, if
	 * it had to wait for a slot, a little before. Attempts that were snoozed or given
	 * back do not count.
	 * @return the time; empty if none has finished
	 */
	Optional<Instant> lastExecutedAt();

	/**
	 * When the job ended.
	 * @return the time; empty for a live job
	 */
	Optional<Instant> finishedAt();

	/**
	 * The error of the last failed attempt: class, message and stack trace of the
	 * exception, cut to 16,000 characters, and each message to 2,000. An error of a
	 * {@link RetryPolicy} or an {@link OnDead} method follows, cut likewise. For an
	 * attempt that ended with its process, a sentence that says so; for a job that
	 * {@linkplain JobCancelledException cancelled itself}, the reason.
	 * @return the error; empty if there was none, or if the job succeeded
	 */
	Optional<String> error();

	/**
	 * The unique key.
	 * @return the key; empty if there is none
	 */
	Optional<String> uniqueKey();

	/**
	 * The arguments as JSON. Treat them as confidential.
	 * @return a JSON array; empty for jobs in the history, which keeps none
	 */
	Optional<String> args();

	/**
	 * The names of the jobs that follow in the {@linkplain JobChain chain}.
	 * @return the names, in order; empty if the job is not in a chain or is its last link
	 */
	List<String> chain();

	/**
	 * What the handler returned, if it can be kept: at most 64 KiB of JSON. What the
	 * handler of a batch returns is not kept.
	 * @param <T> the type
	 * @param type the type to read it as
	 * @return the result; empty if there is none
	 * @throws IllegalStateException if it cannot be read as that type
	 */
	<T> Optional<T> result(Class<T> type);

}
