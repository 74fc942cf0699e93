package io.gator;

import java.time.Instant;

/**
 * What a handler may know of the attempt that it runs. A handler takes it as a parameter;
 * listeners and interceptors receive it as well. Thread-safe.
 */
public interface JobContext {

	/**
	 * The id that the database gave to the job.
	 * @return the id
	 */
	long id();

	/**
	 * The name in the job's row, which may be an alias.
	 * @return the name
	 */
	String name();

	/**
	 * The queue that the job was claimed from.
	 * @return the queue
	 */
	String queue();

	/**
	 * The number of this attempt.
	 * @return 1 for the first one
	 */
	int attempt();

	/**
	 * The number of retries already made.
	 * @return 0 in the first attempt
	 */
	default int retryCount() {
		return attempt() - 1;
	}

	/**
	 * When the job was dispatched, on the database's clock.
	 * @return the time of the dispatch
	 */
	Instant dispatchedAt();

	/**
	 * A token that grows from each attempt of a job to the next. An outside system that
	 * keeps the highest token it has seen of the job and refuses lower ones is safe from
	 * late workers. Tokens of different jobs say nothing about each other.
	 * @return the fencing token
	 */
	long lease();

	/**
	 * Whether the attempt should end, because it was cancelled or timed out, or because
	 * its pool stops or has lost the right to run it. The thread is interrupted as well;
	 * a handler that computes without blocking should ask here now and then.
	 * @return whether to stop
	 */
	boolean isCancelled();

}
