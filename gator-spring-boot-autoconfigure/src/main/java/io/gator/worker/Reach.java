package io.gator.worker;

import io.gator.store.JobStore;
import io.gator.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far back a pool looks for jobs. That is to the beginning of the queues, unless so
 * many dead rows lie there that a statement which walks over them takes longer than it
 * may. It would be broken off each time, until whoever holds the old snapshot that keeps
 * these rows lets go of it, and a pool that has just started would claim nothing until
 * then. So the pool looks back from the newest job for a certain number of ids, or for a
 * certain time where jobs are delayed, and further with each look that was quick. Used by
 * the poller.
 */
final class Reach {

	private static final Logger logger = LoggerFactory.getLogger(Reach.class);

	/** How many ids are walked over at first, which takes a fraction of a second. */
	static final long IDS = 1_000_000;

	/** How many seconds are walked over at first. */
	static final long SECONDS = 600;

	/** The shortest reach, and from where on there is no limit, as multiples of these. */
	private static final double SHORTEST = 1 / 16.0;

	private static final double LONGEST = 1 << 20;

	/**
	 * Looks that take less than one part in so many of a statement's time are quick: one
	 * that goes twice as far takes no more than half of that time.
	 */
	private static final int QUICK_SHARE = 4;

	private final String pool;

	private final JobStore store;

	private JobStore.Newest newest = JobStore.Newest.UNKNOWN;

	/** As a multiple of the first one. */
	private double reach = Double.POSITIVE_INFINITY;

	/** When the reach last changed. */
	private long changedAt;

	Reach(String pool, JobStore store) {
		this.pool = pool;
		this.store = store;
	}

	/**
	 * The id behind which immediate jobs are looked for.
	 * @return the id; 0 for the beginning
	 */
	long afterId() {
		return (long) Math.max(0, this.newest.id() - this.reach * IDS);
	}

	/**
	 * When the first delayed jobs that are looked for were due.
	 * @return the time, in seconds since the epoch; negative infinity for the beginning
	 */
	double afterDue() {
		return this.newest.now() - this.reach * SECONDS;
	}

	/**
	 * What was dispatched last when the reach was last shortened.
	 * @return the id and the time
	 */
	JobStore.Newest newest() {
		return this.newest;
	}

	/**
	 * Whether the reach was limited, and the same, when a statement began.
	 * @param elapsed when it ran
	 * @return whether it could begin where the reach ends
	 */
	boolean wasKnown(Elapsed elapsed) {
		return isLimited() && elapsed.start() - this.changedAt >= 0;
	}

	/**
	 * Note that a statement that walked over rows took longer than it may.
	 * @param elapsed when it ran; a statement counts once
	 */
	void brokenOff(Elapsed elapsed) {
		if (isLimited() && !wasKnown(elapsed)) {
			return;
		}
		try {
			this.newest = this.store.newest();
		}
		catch (StoreException ex) {
			// The reach stays what it is until the next one is broken off.
			return;
		}
		if (!isLimited()) {
			logger.warn(
					"Pool {} looks for jobs only among the latest {} for now, because a look among all took longer "
							+ "than a statement may: does somebody hold an old snapshot, or the table?",
					this.pool, IDS);
		}
		this.reach = isLimited() ? Math.max(SHORTEST, this.reach / 4) : 1;
		this.changedAt = elapsed.end();
	}

	/**
	 * Note that a walk from where the reach ends has ended in time.
	 * @param elapsed when it ran
	 */
	void walked(Elapsed elapsed) {
		boolean quick = elapsed.nanos() < this.store.statementTimeout().toNanos() / QUICK_SHARE;
		if (!isLimited() || !quick || elapsed.start() - this.changedAt < Marks.LAG_NANOS) {
			return;
		}
		this.reach *= 2;
		this.changedAt = elapsed.end();
		if (this.reach > LONGEST) {
			this.reach = Double.POSITIVE_INFINITY;
			logger.info("Pool {} looks for jobs among all again", this.pool);
		}
	}

	private boolean isLimited() {
		return this.reach < Double.POSITIVE_INFINITY;
	}

}
