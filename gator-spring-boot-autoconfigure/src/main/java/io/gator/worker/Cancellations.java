package io.gator.worker;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Passes cancellations on to running jobs. One may be heard of before the answer to the
 * claim of its job: it is kept for a while. Thread-safe.
 */
final class Cancellations {

	/**
	 * So long a cancellation waits for its job. Later it could hit another life of it.
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
	void heard(Set<Long> ids) {
		long now = System.nanoTime();
		this.waiting.values().removeIf((heard) -> now - heard > MAX_AGE_NANOS);
		// Noted before the look at what is in flight, so that what is taken on meanwhile
		// is seen by one of the two.
		ids.forEach((id) -> this.waiting.put(id, now));
		if (!this.waiting.isEmpty()) {
			apply(this.inFlight.all());
		}
	}

	/**
	 * Cancel those for which a cancellation waits.
	 * @param executions what is in flight
	 */
	void apply(Collection<? extends Execution> executions) {
		if (this.waiting.isEmpty()) {
			return;
		}
		long now = System.nanoTime();
		for (Execution execution : executions) {
			// The neighbours of an item in its batch are none of its business.
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
