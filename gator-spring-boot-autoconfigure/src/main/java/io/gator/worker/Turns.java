package io.gator.worker;

import java.util.List;
import java.util.Map;

import io.gator.store.StoreException;

/**
 * Claims jobs of both kinds. Batches come first, as they take what room they need, until
 * there was none left for single jobs, or those had to go back; then single jobs do,
 * until a batch has to. Used by the poller.
 */
final class Turns {

	private final SingleClaims singles;

	private final BatchClaims batches;

	private final Taker taker;

	/** Whether single jobs are claimed before batches, because they had to stand back. */
	private boolean singlesFirst;

	/**
	 * Behind a backlog of items it takes long to find out that there is no single job. As
	 * long as one batch follows another that is not done for each of them.
	 */
	private final LookPause pause = new LookPause(BatchClaims.PAUSE_NANOS);

	Turns(SingleClaims singles, BatchClaims batches, Taker taker) {
		this.singles = singles;
		this.batches = batches;
		this.taker = taker;
	}

	/**
	 * Claim.
	 * @param worker the identity to claim under
	 * @param room for how many single jobs there is room
	 * @param wanted the kinds of which there may be some
	 * @param serving the queues and their weights
	 * @return whether there may be more than there was room for
	 */
	boolean claim(long worker, int room, IdleLook.Wanted wanted, Map<String, Integer> serving) {
		boolean later = wanted.batches() && this.batches.isFull() && this.pause.until(System.nanoTime()) > 0;
		boolean batchesFirst = later || !this.singlesFirst;
		int left = room;
		if (wanted.batches() && batchesFirst) {
			left -= claimBatches(worker, serving);
		}
		int claimed = 0;
		if (wanted.singles() && left > 0 && !(later && this.batches.isFull())) {
			claimed = claimSingles(worker, left, serving);
		}
		if (wanted.batches() && !batchesFirst) {
			claimBatches(worker, serving);
		}
		this.singlesFirst |= left <= 0;
		return claimed >= left || wanted.batches() && this.batches.isFull();
	}

	private int claimSingles(long worker, int room, Map<String, Integer> serving) {
		long start = System.nanoTime();
		try {
			int claimed = this.singles.claim(worker, serving, room, (jobs) -> this.taker.take(worker, jobs));
			if (claimed == 0) {
				this.pause.begin(start, System.nanoTime());
			}
			return claimed;
		}
		catch (StoreException ex) {
			// Batches pause when their claims take too long. Single jobs do not, so they
			// must not come before them the next time.
			this.singlesFirst &= !ex.isTimeout();
			throw ex;
		}
	}

	private int claimBatches(long worker, Map<String, Integer> serving) {
		try {
			return this.batches.claim(worker, serving.keySet(), (ready) -> this.taker.take(worker, ready));
		}
		catch (StoreException | OutOfMemoryError ex) {
			// Until their batches are small enough single jobs go on.
			this.singlesFirst = true;
			throw ex;
		}
	}

	/**
	 * Note that something has waited for a slot for too long and goes back. Its kind
	 * comes first the next time: behind a backlog of the other one it would wait so again
	 * and again.
	 * @param execution what goes back
	 */
	void goesBack(Execution execution) {
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
