package io.gator.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Outcomes that cannot be written for now while those of other jobs can: somebody holds
 * the row, or a trigger refuses it. All of them are tried again together, after a second
 * and then ever less often. Used by the thread that settles.
 *
 * @param <T> the type of an outcome
 */
final class SetAside<T> {

	private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

	/**
	 * How long until they are tried again when the pool ends, which leaves not much time.
	 */
	private static final long LAST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	private List<T> outcomes = new ArrayList<>();

	private long delay = FIRST_NANOS;

	private long since;

	/**
	 * Add an outcome.
	 * @param outcome the outcome
	 */
	void add(T outcome, long now) {
		if (this.outcomes.isEmpty()) {
			this.since = now;
		}
		this.outcomes.add(outcome);
	}

	int size() {
		return this.outcomes.size();
	}

	/**
	 * How long until they are to be tried again.
	 * @param last whether the pool ends
	 * @return nanoseconds; {@link Long#MAX_VALUE} if there are none
	 */
	long untilDue(long now, boolean last) {
		if (this.outcomes.isEmpty()) {
			return Long.MAX_VALUE;
		}
		return Math.max(0, this.since + (last ? LAST_NANOS : this.delay) - now);
	}

	/**
	 * Take all of them, to try them again.
	 * @return the outcomes
	 */
	List<T> take() {
		List<T> taken = this.outcomes;
		this.outcomes = new ArrayList<>();
		return taken;
	}

	/**
	 * Note that all that was taken was tried.
	 */
	void tried() {
		this.delay = this.outcomes.isEmpty() ? FIRST_NANOS : Math.min(2 * this.delay, LONGEST_NANOS);
	}

}
