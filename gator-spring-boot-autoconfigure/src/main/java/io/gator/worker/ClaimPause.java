package io.gator.worker;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The pause behind a look that brought nothing. Behind a backlog of jobs of the other
 * kind a look takes long, and one after the other would leave that kind no time. Used by
 * the poller.
 */
final class ClaimPause {

	/** Shorter than a share of a claim that was broken off would be. */
	private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** So often a pause behind what others were taking grows. */
	private static final int MOST_CONTENDED = 10;

	private final long least;

	private final long slow;

	private boolean begun;

	private long end;

	/** How long the last look took, if it was slow. */
	private long slowBefore;

	/** How many looks in a row saw what others were taking. */
	private int contended;

	/**
	 * Create a pause that is over.
	 * @param least how long each is at least, in nanoseconds
	 * @param slow how long a look may take without a longer one, in nanoseconds
	 */
	ClaimPause(long least, long slow) {
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
		long before = this.slowBefore;
		this.slowBefore = (nanos > this.slow) ? nanos : 0;
		this.contended = 0;
		pause(Math.min(before, this.slowBefore), lookEnd);
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
		endAt(now + Math.max(this.least, Math.min(LONGEST_NANOS, Marks.SWEEP_SHARE * nanos)));
	}

	private void endAt(long time) {
		this.begun = true;
		this.end = time;
	}

	/**
	 * Begin a pause behind a look that saw what others were taking: as long as the look
	 * or a little longer, by chance, so that they do not meet again. But longer each
	 * time, as they may be keeping it for whatever reason.
	 * @param lookStart when the look began, in monotonic time
	 * @param lookEnd when it was over
	 */
	void beginContended(long lookStart, long lookEnd) {
		long nanos = Math.max(1, lookEnd - lookStart);
		this.contended = Math.min(this.contended + 1, MOST_CONTENDED);
		long longest = Math.max(2 * nanos, Math.min(this.least, nanos << this.contended));
		endAt(lookEnd + ThreadLocalRandom.current().nextLong(nanos, longest + 1));
	}

	/**
	 * Note that a look brought something.
	 */
	void brought() {
		this.contended = 0;
	}

	/**
	 * How long until the pause is over.
	 * @param now the monotonic time
	 * @return nanoseconds; 0 if it is
	 */
	long until(long now) {
		return this.begun ? Math.max(0, this.end - now) : 0;
	}

}
