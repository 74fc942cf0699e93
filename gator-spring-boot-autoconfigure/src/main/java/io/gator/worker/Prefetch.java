package io.gator.worker;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/**
 * How many jobs to hold in advance: what the slots work off within the time set, at the
 * measured rate. So tiny jobs are claimed by the thousand, long ones not before a slot is
 * free. Where claims take long, because the database is far away or claims have much to
 * look at, the time is twice that of a claim: the last half of what is held is all that
 * the slots have while the next claim is on its way.
 */
final class Prefetch {

	/**
	 * At most this many jobs are held. More would bring nothing: a claim of this size
	 * costs next to nothing per job.
	 */
	static final int MAX_JOBS = 4_000;

	/**
	 * For how many times the time set jobs are held at most, however long claims take:
	 * what is held for longer than twice that goes back.
	 */
	private static final int LONGEST = 10;

	private final IntSupplier slots;

	private final double horizonNanos;

	private final LongAdder busyNanos = new LongAdder();

	private final LongAdder runs = new LongAdder();

	private double nanosEach = Double.NaN;

	/** How long a claim takes. */
	private double claimNanos;

	Prefetch(IntSupplier slots, long horizonNanos) {
		this.slots = slots;
		this.horizonNanos = horizonNanos;
	}

	/**
	 * Note that a slot was busy. Called by all slots.
	 * @param nanos for how long
	 */
	void ran(long nanos) {
		this.busyNanos.add(nanos);
		this.runs.increment();
	}

	/**
	 * Note that jobs take at least some time, though none of them has ended. Called by
	 * the poller.
	 * @param nanos how long
	 */
	void tookAtLeast(long nanos) {
		this.nanosEach = Math.max(nanos, Double.isNaN(this.nanosEach) ? 0 : this.nanosEach);
	}

	/**
	 * Note how long a claim took. Not of batches, which stand in the line behind what is
	 * held: the more is held, the longer they wait. Called by the poller.
	 * @param nanos how long
	 */
	void claimTook(long nanos) {
		this.claimNanos = (this.claimNanos + nanos) / 2;
	}

	/**
	 * How many jobs to hold. Called by the poller.
	 * @return the number, 0 as long as nothing is known
	 */
	int target() {
		long count = this.runs.sumThenReset();
		if (count > 0) {
			double mean = (double) this.busyNanos.sumThenReset() / count;
			this.nanosEach = Double.isNaN(this.nanosEach) ? mean : (this.nanosEach + mean) / 2;
		}
		if (Double.isNaN(this.nanosEach)) {
			return 0;
		}
		double horizon = Math.min(LONGEST * this.horizonNanos, Math.max(this.horizonNanos, 2 * this.claimNanos));
		return (int) Math.min(MAX_JOBS, this.slots.getAsInt() * horizon / Math.max(1, this.nanosEach));
	}

}
