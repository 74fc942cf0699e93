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

	private long end = System.nanoTime();

	/**
	 * Create a pause that is over.
	 * @param least how long each is at least, in nanoseconds
	 */
	LookPause(long least) {
		this.least = least;
	}

	/**
	 * Begin a pause: the longer, the longer the look took.
	 * @param lookStart when the look began, in monotonic time
	 * @param lookEnd when it was over
	 */
	void begin(long lookStart, long lookEnd) {
		long share = Math.min(LONGEST_NANOS, Marks.SWEEP_SHARE * (lookEnd - lookStart));
		this.end = lookEnd + Math.max(this.least, share);
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
