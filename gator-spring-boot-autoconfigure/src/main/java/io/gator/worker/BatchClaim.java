package io.gator.worker;

import java.util.List;
import java.util.Set;

import io.gator.store.BatchRequest;
import io.gator.store.JobStore;
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

	static BatchRequest request(long worker, List<String> queues, List<Asked> asked, int total) {
		return new BatchRequest(worker, queues, asked.stream().map(Asked::request).toList(), total);
	}

	/**
	 * Find out why the claim brought nothing for jobs of which a batch was expected:
	 * there may be none, others may just have been taking it, or it may lie behind the
	 * items that were looked at.
	 */
	void findOutWhy(JobStore store, long worker, List<String> queues) {
		List<Asked> expected = this.missed.stream().filter(Asked::expected).toList();
		WaitingBatches waiting = new WaitingBatches(Set.of(), Set.of());
		try {
			if (!expected.isEmpty()) {
				waiting = store.lookForBatches(request(worker, queues, expected, 0));
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
