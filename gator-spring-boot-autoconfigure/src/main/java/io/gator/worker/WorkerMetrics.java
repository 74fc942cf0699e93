package io.gator.worker;

import java.util.List;
import java.util.stream.Stream;

/**
 * Hears what a pool does, to count it. Called on hot paths, so it must be cheap and must
 * not block. What it throws is logged, once a minute, and changes nothing for the jobs.
 */
public interface WorkerMetrics {

	/** Counts nothing. */
	WorkerMetrics NONE = new WorkerMetrics() {
	};

	/**
	 * An attempt is over.
	 * @param name the name of the job
	 * @param queue the queue
	 * @param outcome how it ended
	 * @param nanos how long it took, listeners and {@code @OnDead} included; of an item,
	 * its share of the batch's time
	 */
	default void executed(String name, String queue, AttemptOutcome outcome, long nanos) {
	}

	/**
	 * An attempt has begun.
	 * @param name the name of the job
	 * @param queue the queue
	 * @param nanos how long it waited from when it was due
	 */
	default void waited(String name, String queue, long nanos) {
	}

	/**
	 * A claim was made.
	 * @param pool the name of the pool
	 * @param jobs how many jobs it brought
	 * @param nanos how long it took
	 */
	default void claimed(String pool, int jobs, long nanos) {
	}

	/**
	 * A batch was settled.
	 * @param pool the name of the pool
	 * @param jobs how many jobs
	 * @param nanos how long it took
	 */
	default void settled(String pool, int jobs, long nanos) {
	}

	/**
	 * Results came too late and were dropped.
	 * @param pool the name of the pool
	 * @param jobs how many
	 */
	default void leasesLost(String pool, int jobs) {
	}

	/**
	 * Jobs were dispatched, by the application or by the engine itself.
	 * @param name the name of the jobs
	 * @param queue the queue
	 * @param jobs how many
	 */
	default void dispatched(String name, String queue, int jobs) {
	}

	/**
	 * Jobs were taken from pools that are gone.
	 * @param jobs how many
	 */
	default void rescued(int jobs) {
	}

	/**
	 * Tell all of them.
	 * @param all the metrics
	 * @return one that tells all, and does not throw
	 */
	static WorkerMetrics of(Stream<WorkerMetrics> all) {
		List<WorkerMetrics> some = all.toList();
		return some.isEmpty() ? NONE : new CompositeWorkerMetrics(some);
	}

}
