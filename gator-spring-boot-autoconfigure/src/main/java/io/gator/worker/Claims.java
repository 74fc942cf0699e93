package io.gator.worker;

import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import io.gator.store.StoreException;

/**
 * Claims jobs of both kinds. Batches come first and take the room they need, until they
 * have left none for single jobs, or single jobs had to go back; then single jobs come
 * first, until a batch has to go back. Single jobs that are left out, because there is no
 * room or a look for them has just brought nothing, are owed: they are looked for as soon
 * as possible. Used by the poller.
 */
final class Claims {

	private final SingleClaims singles;

	private final BatchClaims batches;

	private final Taker taker;

	private final LongSupplier clock;

	/** Whether single jobs are claimed before batches, because they had to stand back. */
	private boolean singlesFirst;

	/**
	 * The pause after a look for single jobs that brought nothing. Behind a backlog of
	 * items such a look takes long, and is not made with each of the batches that follow
	 * one another.
	 */
	private final ClaimPause pause = new ClaimPause(0, 0);

	/** Whether a batch was claimed since single jobs were last looked for. */
	private boolean batchSince;

	/** Whether single jobs are to be looked for when the pause is over. */
	private boolean singlesOwed;

	/**
	 * Create the claims of both kinds.
	 * @param singles of jobs that are run one by one
	 * @param batches of buffered jobs
	 * @param taker takes what was claimed
	 * @param clock the monotonic time
	 */
	Claims(SingleClaims singles, BatchClaims batches, Taker taker, LongSupplier clock) {
		this.singles = singles;
		this.batches = batches;
		this.taker = taker;
		this.clock = clock;
	}

	/**
	 * Claim.
	 * @param worker the identity to claim under
	 * @param room for how many single jobs there is room
	 * @param wanted the kinds of which there may be some
	 * @param serving the queues and their weights
	 * @return whether there may be more single jobs
	 */
	boolean claim(long worker, int room, IdleLook.Wanted wanted, Map<String, Integer> serving) {
		this.singlesOwed |= wanted.singles();
		boolean batchesFirst = !this.singlesFirst || isSinglesPaused();
		int left = room;
		if (wanted.batches() && batchesFirst) {
			left -= claimBatches(worker, serving);
		}
		boolean more = false;
		if (this.singlesOwed && left > 0 && !isSinglesPaused()) {
			more = claimSingles(worker, left, serving);
		}
		if (wanted.batches() && !batchesFirst) {
			claimBatches(worker, serving);
		}
		this.singlesFirst |= left <= 0;
		return more;
	}

	/**
	 * How long until single jobs are looked for that were left out.
	 * @return nanoseconds; {@link Long#MAX_VALUE} if none were
	 */
	long untilSingles(long now) {
		return this.singlesOwed ? this.pause.until(now) : Long.MAX_VALUE;
	}

	private boolean isSinglesPaused() {
		return this.batchSince && this.pause.until(this.clock.getAsLong()) > 0;
	}

	private boolean claimSingles(long worker, int room, Map<String, Integer> serving) {
		this.singlesOwed = false;
		this.batchSince = false;
		long start = this.clock.getAsLong();
		try {
			SingleClaims.Claimed claimed = this.singles.claim(worker, serving, room,
					(jobs) -> this.taker.take(worker, jobs));
			if (claimed.count() == 0) {
				this.pause.begin(new Elapsed(start, this.clock.getAsLong()));
			}
			return claimed.more();
		}
		catch (StoreException ex) {
			// Batches pause when their claims take too long. Single jobs do not, so they
			// must not come before batches the next time.
			this.singlesFirst &= !ex.isTimeout();
			throw ex;
		}
	}

	private int claimBatches(long worker, Map<String, Integer> serving) {
		try {
			int claimed = this.batches.claim(worker, List.copyOf(serving.keySet()),
					(ready) -> this.taker.take(worker, ready));
			this.batchSince |= claimed > 0;
			return claimed;
		}
		catch (RuntimeException | OutOfMemoryError ex) {
			// Single jobs come first, so that they go on until the claims of batches are
			// small enough, or items that could not be given back can be.
			this.singlesFirst = true;
			throw ex;
		}
	}

	/**
	 * Note that something has waited for a slot for too long and goes back. Its kind
	 * comes first the next time: behind a backlog of the other kind it would have to wait
	 * again and again.
	 * @param execution what goes back
	 */
	void releasedStale(Execution execution) {
		this.singlesFirst = !(execution instanceof Batch);
	}

	/**
	 * Takes what was claimed.
	 */
	@FunctionalInterface
	interface Taker {

		void take(long worker, List<? extends Execution> executions);

	}

}
