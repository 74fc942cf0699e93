package io.gator.store;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When a beat looks for pools that have missed theirs. With few pools each beat does;
 * with many, one passes between two looks at most, so that even where most pools are
 * killed at once the others see it soon. A look reads the rows of all pools with all
 * their versions, and while somebody holds an old snapshot no version can be removed: the
 * work would grow with the square of the number of pools. So while looks are slow, only
 * some four pools of the cluster look in the time between two beats. Thread-safe.
 */
final class LookForOthers {

	/** How many pools of the cluster look in the time between two beats at least. */
	private static final int LOOKS = 4;

	/** How many beats pass between two looks at most, while these are quick. */
	private static final long MAX_BETWEEN = 1;

	/**
	 * How much time all pools may spend on beats with a look if these are to be quick: a
	 * hundredth of it each, or less where there are more pools.
	 */
	private static final long QUICK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final AtomicLong beatsLeft = new AtomicLong();

	/**
	 * Count a beat.
	 * @return whether it is to look
	 */
	boolean isDue() {
		return this.beatsLeft.getAndUpdate((left) -> Math.max(0, left - 1)) <= 0;
	}

	/**
	 * Note what a look has found.
	 * @param pools how many pools there are
	 * @param nanos how long its beat took
	 */
	void counted(long pools, long nanos) {
		long each = Math.max(1, pools / LOOKS);
		// By chance, or all pools that started at once would look at once ever after.
		long between = ThreadLocalRandom.current().nextLong(2 * each - 1);
		boolean quick = nanos <= QUICK_NANOS / Math.max(100, pools);
		this.beatsLeft.set(quick ? Math.min(between, MAX_BETWEEN) : between);
	}

}
