package io.gator.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * When to look for items that have waited long enough for others. The pool was woken when
 * they came, but they were too few for a batch, and nobody wakes the pool when they have
 * waited: without this they would wait for a poll. Times are monotonic. Used by one
 * thread.
 */
final class MaxWait {

	/**
	 * How far ahead looks are planned at most: a poll comes earlier, whatever its
	 * interval.
	 */
	private static final Duration HORIZON = Duration.ofDays(1);

	/**
	 * At most this many looks, plus two, are planned, however often the pool is woken.
	 */
	private static final int LOOKS = 16;

	private final long nanos;

	private final long apart;

	private final Deque<Long> looks = new ArrayDeque<>();

	MaxWait(Duration wait) {
		this.nanos = (wait.compareTo(HORIZON) < 0 ? wait : HORIZON).toNanos();
		this.apart = Math.max(BatchLine.PAUSE_NANOS, this.nanos / LOOKS);
	}

	/**
	 * Plan a look, because there may be items that were not there before: just in time
	 * for the first ones, and one for all that come within a while after them.
	 * @param now the time
	 */
	void woken(long now) {
		Long last = this.looks.peekLast();
		if (last == null) {
			this.looks.add(now + this.nanos);
		}
		else if (now + this.nanos - last > 0) {
			this.looks.add(now + this.nanos + this.apart);
		}
	}

	/**
	 * Note a look, which makes all needless that were planned for a time before it.
	 * @param begun the time at which it began
	 */
	void looked(long begun) {
		while (!this.looks.isEmpty() && begun - this.looks.element() >= 0) {
			this.looks.remove();
		}
	}

	/**
	 * How long until the next look.
	 * @param now the time
	 * @return nanoseconds; {@link Long#MAX_VALUE} if none is planned
	 */
	long untilLook(long now) {
		Long next = this.looks.peek();
		return (next != null) ? Math.max(0, next - now) : Long.MAX_VALUE;
	}

}
