package io.gator.worker;

import java.util.Collection;
import java.util.concurrent.TimeUnit;

import io.gator.store.JobStore;
import io.gator.store.StoreException;

/**
 * The search for jobs that are reserved under an identity and not known to the pool,
 * because the answer to a claim was lost, or because another server has taken over and
 * lacks the last commits. It looks at once, and again, because the server may still be
 * carrying out a claim; the last look begins when the server has ended that claim, and
 * leaves nothing behind because somebody holds its row.
 * <p>
 * A look reads the table of jobs, so it goes step by step, and the pool claims in
 * between. A step that fails is tried again later. Used by the poller alone, but for
 * {@link #isOver()}.
 */
final class LostJobSearch {

	private static final long FIRST_LOOK = TimeUnit.SECONDS.toNanos(1);

	private final long worker;

	private final long lostAt;

	private final long patience;

	private long nextStep;

	private long page;

	private long begun;

	/** Whether this look has found jobs that could not be released. */
	private boolean left;

	private boolean failing;

	private volatile boolean over;

	/**
	 * Begin to search.
	 * @param worker the identity, under which nothing is claimed any more
	 * @param lostAt the monotonic time from which on nothing more can be lost
	 * @param patience how long after that the claim may still be carried out
	 */
	LostJobSearch(long worker, long lostAt, long patience) {
		this.worker = worker;
		this.lostAt = lostAt;
		this.patience = patience;
		this.nextStep = lostAt;
	}

	long worker() {
		return this.worker;
	}

	/**
	 * How long until it is time for a step.
	 * @return nanoseconds; {@link Long#MAX_VALUE} if there is none any more
	 */
	long untilStep(long now) {
		return this.over ? Long.MAX_VALUE : Math.max(0, this.nextStep - now);
	}

	/**
	 * Whether nothing is reserved under the identity any more that is not known here.
	 * @return whether it is certain
	 */
	boolean isOver() {
		return this.over;
	}

	/**
	 * Take a step: release the jobs in a part of the table that are reserved and not
	 * known.
	 * @param store where to look
	 * @param known the ids of the jobs in flight under the identity
	 * @return how many jobs were released
	 * @throws StoreException if the database refuses or fails
	 */
	int step(JobStore store, Collection<Long> known, long now) {
		if (this.page == 0) {
			this.begun = now;
		}
		JobStore.SearchStep step = store.releaseLost(this.worker, known, this.page);
		this.failing = false;
		this.left |= step.left() > 0;
		this.page = step.next();
		if (this.page == 0) {
			long age = this.begun - this.lostAt;
			this.over = age >= this.patience && !this.left;
			this.left = false;
			long next = (age < this.patience) ? Math.min(this.patience, Math.max(FIRST_LOOK, 2 * age)) : age + age / 4;
			this.nextStep = this.lostAt + next;
		}
		return step.released();
	}

	/**
	 * Note that a step failed.
	 * @return whether it is the first to fail after one that did not
	 */
	boolean failed(long now) {
		boolean first = !this.failing;
		this.failing = true;
		this.nextStep = now + FIRST_LOOK;
		return first;
	}

}
