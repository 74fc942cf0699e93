package io.gator.store;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * When a beat looks for pools that have missed theirs: as often as it takes for some four
 * pools of the cluster to look in the time between two beats. A look reads the rows of
 * all pools with all their versions, and while somebody holds an old snapshot no version
 * can be removed: if each beat looked, the work would grow with the square of the number
 * of pools. Thread-safe.
 */
final class LookForOthers {

	/** How many pools of the cluster look in the time between two beats. */
	private static final int LOOKS = 4;

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
	 */
	void counted(long pools) {
		long each = Math.max(1, pools / LOOKS);
		// By chance, or all pools that started at once would look at once ever after.
		this.beatsLeft.set(ThreadLocalRandom.current().nextLong(2 * each - 1));
	}

}
