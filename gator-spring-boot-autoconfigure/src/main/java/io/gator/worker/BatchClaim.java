package io.gator.worker;

import java.util.List;
import java.util.Set;
import java.util.function.Function;

import io.gator.store.BatchRequest;
import io.gator.store.WaitingBatches;

/**
 * What a claim of batches brought, one of each job at most.
 *
 * @param batches the batches
 * @param missed the questions to which it brought nothing
 * @param gaveBack whether items went back, so that another claim finds them
 * @param elapsed when it ran
 */
record BatchClaim(List<Batch> batches, List<Asked> missed, boolean gaveBack, Elapsed elapsed) {

	/**
	 * Find out why the claim brought nothing for jobs of which a batch was expected:
	 * there may be none, others may just have been taking it, or it may lie behind the
	 * items that were looked at.
	 * @param look asks what there is to claim
	 */
	void findOutWhy(Function<List<Asked>, WaitingBatches> look) {
		List<Asked> expected = this.missed.stream().filter(Asked::expected).toList();
		WaitingBatches waiting = new WaitingBatches(Set.of(), Set.of());
		try {
			if (!expected.isEmpty()) {
				waiting = look.apply(expected);
			}
		}
		finally {
			for (Asked each : this.missed) {
				int place = expected.indexOf(each);
				if (waiting.ready().contains(place)) {
					each.line().missedReady(this.elapsed);
				}
				else if (waiting.more().contains(place)) {
					each.line().missedMore(this.elapsed);
				}
				else {
					each.line().missed(this.elapsed);
				}
			}
		}
	}

	/**
	 * What was asked for.
	 *
	 * @param line for which job
	 * @param expected whether there was a reason to expect a batch
	 * @param request the question
	 */
	record Asked(BatchLine line, boolean expected, BatchRequest.Buffered request) {

	}

}
