package io.gator.worker;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The pause after a look that brought nothing. Behind a backlog of jobs of the other kind
 * a look takes long, and one look after the other would leave the claims of that kind no
 * time. Used by the poller.
 */
final class ClaimPause {

	/**
	 * The longest pause after a look that brought nothing or was broken off. Twenty times
	 * a claim that ran into its time-out would be minutes.
	 */
	private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);

	/**
	 * How many times in a row a pause after a look that saw what others were taking may
	 * grow.
	 */
	private static final int MAX_CONTENDED = 10;

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
	 * @param slow how long a look may take before its pause is longer, in nanoseconds
	 */
	ClaimPause(long least, long slow) {
		this.least = least;
		this.slow = slow;
	}

	/**
	 * Begin a pause in proportion to the quicker of the last two looks, if both were
	 * slow: one slow look may have many reasons.
	 * @param look when the look ran
	 */
	void begin(Elapsed look) {
		long nanos = look.nanos();
		long before = this.slowBefore;
		this.slowBefore = (nanos > this.slow) ? nanos : 0;
		this.contended = 0;
		pause(Math.min(before, this.slowBefore), look.end());
	}

	/**
	 * Begin a pause in proportion to a look that was broken off, because the next one
	 * would be too.
	 * @param look when the look ran
	 */
	void beginBrokenOff(Elapsed look) {
		pause(look.nanos(), look.end());
	}

	private void pause(long nanos, long now) {
		endAt(now + Math.max(this.least, Math.min(LONGEST_NANOS, Marks.SWEEP_SHARE * nanos)));
	}

	private void endAt(long time) {
		this.begun = true;
		this.end = time;
	}

	/**
	 * Begin a pause after a look that saw what others were taking: at random as long as
	 * the look or up to twice as long, so that the pools do not meet again. It may become
	 * longer with each such look in a row, because the others may be keeping the rows for
	 * whatever reason.
	 * @param look when the look ran
	 */
	void beginContended(Elapsed look) {
		long nanos = Math.max(1, look.nanos());
		this.contended = Math.min(this.contended + 1, MAX_CONTENDED);
		long longest = Math.max(2 * nanos, Math.min(this.least, nanos << this.contended));
		endAt(look.end() + ThreadLocalRandom.current().nextLong(nanos, longest + 1));
	}

	/**
	 * Note that a look brought something.
	 */
	void brought() {
		this.contended = 0;
	}

	/**
	 * How long until the pause is over.
	 * @return nanoseconds; 0 if it is
	 */
	long until(long now) {
		return this.begun ? Math.max(0, this.end - now) : 0;
	}

}
