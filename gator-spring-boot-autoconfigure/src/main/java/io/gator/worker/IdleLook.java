package io.gator.worker;

import java.util.Collection;
import java.util.List;
import java.util.Set;

import io.gator.store.JobStore;
import io.gator.store.LookRequest;

/**
 * What a poll sends where jobs of both kinds may wait and nobody has said anything: one
 * statement, and not a claim for each kind. Used by the poller.
 */
final class IdleLook {

	private final JobStore store;

	private final SingleClaims singles;

	private final BatchClaims batches;

	IdleLook(JobStore store, SingleClaims singles, BatchClaims batches) {
		this.store = store;
		this.singles = singles;
		this.batches = batches;
	}

	/**
	 * Find out which claims are worth it.
	 * @param queues the queues that are served
	 * @return the claims; both without a look where one of them sends nothing, because
	 * the other one is the look then
	 */
	Wanted look(Collection<String> queues) {
		if (queues.isEmpty() || !this.singles.areAny() || !this.batches.areOpen()) {
			return Wanted.BOTH;
		}
		long start = System.nanoTime();
		LookRequest single = this.singles.look(queues, start);
		LookRequest buffered = this.batches.look(queues, start);
		Set<LookRequest> seen = this.store.look(List.of(single, buffered));
		long end = System.nanoTime();
		if (!seen.contains(single)) {
			this.singles.sawNothing(queues, start, end);
		}
		if (!seen.contains(buffered)) {
			this.batches.sawNothing(queues, start, end);
		}
		return new Wanted(seen.contains(single), seen.contains(buffered));
	}

	/**
	 * Which claims to send.
	 *
	 * @param singles of jobs that are run one by one
	 * @param batches of buffered jobs
	 */
	record Wanted(boolean singles, boolean batches) {

		static final Wanted BOTH = new Wanted(true, true);

	}

}
