package io.gator.worker;

import io.gator.store.JobStore;
import io.gator.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for jobs that a pool has reserved and does not know, because the answer to a
 * claim was lost, or the database has lost what became of the jobs. Used by the poller.
 */
final class LostJobSearches {

	private static final Logger logger = LoggerFactory.getLogger(LostJobSearches.class);

	private final String pool;

	private final JobStore store;

	private final Membership membership;

	private final Runnable released;

	/**
	 * Create the searches of a pool.
	 * @param pool its name
	 * @param store where to look
	 * @param membership knows the identities that were given up
	 * @param released told when jobs are in the table again
	 */
	LostJobSearches(String pool, JobStore store, Membership membership, Runnable released) {
		this.pool = pool;
		this.store = store;
		this.membership = membership;
		this.released = released;
	}

	/**
	 * Take a step of each search whose time has come. A step that fails is tried again
	 * later: the pool's other jobs are not to wait for it.
	 * @return how long until the next step, in nanoseconds; {@link Long#MAX_VALUE} if
	 * there is none
	 */
	long step() {
		long until = Long.MAX_VALUE;
		for (LostJobSearch search : this.membership.searches()) {
			if (search.untilStep(System.nanoTime()) == 0) {
				step(search);
			}
			until = Math.min(until, search.untilStep(System.nanoTime()));
		}
		return until;
	}

	private void step(LostJobSearch search) {
		try {
			int jobs = search.step(this.store, this.membership.inFlight(search.worker()), System.nanoTime());
			if (jobs > 0) {
				logger.warn(
						"{} jobs were reserved by pool {} that it does not know, because the answer to a claim "
								+ "was lost, or the database has lost what became of them: they are released",
						jobs, this.pool);
				this.released.run();
			}
		}
		catch (StoreException ex) {
			if (search.failed(System.nanoTime())) {
				logger.warn("Pool {} looks for jobs that it has reserved and does not know, and will try again: {}",
						this.pool, ex.getMessage());
			}
		}
	}

}
