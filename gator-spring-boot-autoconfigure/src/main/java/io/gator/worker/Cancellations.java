package io.gator.worker;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Passes cancellations on to running jobs. A cancellation may be heard of before the
 * answer to the claim of its job, so it is kept for a while. Thread-safe.
 */
final class Cancellations {

	/**
	 * How long a cancellation waits for its job to appear. Kept longer, it could cancel
	 * the job after somebody has retried it.
	 */
	private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final InFlight inFlight;

	/** Jobs that are not in flight here, or not yet, and when that was heard. */
	private final Map<Long, Long> waiting = new ConcurrentHashMap<>();

	Cancellations(InFlight inFlight) {
		this.inFlight = inFlight;
	}

	/**
	 * Cancel jobs.
	 * @param ids their ids
	 */
	void heard(Set<Long> ids, long now) {
		this.waiting.values().removeIf((heard) -> now - heard > MAX_AGE_NANOS);
		// Noted before the look at what is in flight, so that a job that is taken on
		// meanwhile is found either here or by the poller's call of apply.
		ids.forEach((id) -> this.waiting.put(id, now));
		if (!this.waiting.isEmpty()) {
			apply(this.inFlight.all(), now);
		}
	}

	/**
	 * Cancel those for which a cancellation waits.
	 * @param executions what is in flight
	 */
	void apply(Collection<? extends Execution> executions, long now) {
		if (this.waiting.isEmpty()) {
			return;
		}
		for (Execution execution : executions) {
			// The cancellation of an item must not stop the other items of its batch.
			boolean alone = execution.size() == 1;
			for (Long id : execution.ids()) {
				Long heard = this.waiting.remove(id);
				if (alone && heard != null && now - heard <= MAX_AGE_NANOS) {
					execution.stop(Execution.Stop.CANCELLED);
				}
			}
		}
	}

}
