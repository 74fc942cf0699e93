package io.gator.worker;

import java.util.concurrent.TimeUnit;

/**
 * The pause behind a look that brought nothing. Behind a backlog of jobs of the other
 * kind a look takes long, and one after the other would leave that kind no time. Used by
 * the poller.
 */
final class LookPause {

	/** Shorter than a share of a claim that was broken off would be. */
	private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);

	private final long least;

	private final long slow;

	private long end = System.nanoTime();

	/** How long the last look took, if it was slow. */
	private long last;

	/**
	 * Create a pause that is over.
	 * @param least how long each is at least, in nanoseconds
	 * @param slow how long a look may take without a longer one, in nanoseconds
	 */
	LookPause(long least, long slow) {
		this.least = least;
		this.slow = slow;
	}

	/**
	 * Begin a pause: the longer, the longer both this look and the one before took. That
	 * one was slow may have many reasons.
	 * @param lookStart when the look began, in monotonic time
	 * @param lookEnd when it was over
	 */
	void begin(long lookStart, long lookEnd) {
		long nanos = lookEnd - lookStart;
		long before = this.last;
		this.last = (nanos > this.slow) ? nanos : 0;
		pause(Math.min(before, this.last), lookEnd);
	}

	/**
	 * Begin a pause behind a look that was broken off, because the next one would be too.
	 * @param lookStart when the look began, in monotonic time
	 * @param lookEnd when it was broken off
	 */
	void beginBrokenOff(long lookStart, long lookEnd) {
		pause(lookEnd - lookStart, lookEnd);
	}

	private void pause(long nanos, long now) {
		this.end = now + Math.max(this.least, Math.min(LONGEST_NANOS, Marks.SWEEP_SHARE * nanos));
	}

	/**
	 * Begin a pause as long as the look.
	 * @param lookStart when the look began, in monotonic time
	 * @param lookEnd when it was over
	 */
	void beginShort(long lookStart, long lookEnd) {
		this.end = lookEnd + (lookEnd - lookStart);
	}

	/**
	 * How long until the pause is over.
	 * @param now the monotonic time
	 * @return nanoseconds; 0 if it is
	 */
	long until(long now) {
		return Math.max(0, this.end - now);
	}

}
