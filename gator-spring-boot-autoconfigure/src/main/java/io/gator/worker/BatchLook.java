package io.gator.worker;

import java.util.Collection;
import java.util.List;

import io.gator.store.LookRequest;

/**
 * A look for batches before a claim, which may be for nothing.
 *
 * @param request what to look for
 * @param queues the queues that are served
 * @param lines the jobs it is for; others may be open when it has ended
 */
record BatchLook(LookRequest request, Collection<String> queues, List<BatchLine> lines) {

	/**
	 * Note that it saw nothing, as after a claim of nothing.
	 * @param elapsed when it ran
	 */
	void sawNothing(Elapsed elapsed) {
		this.lines.forEach((line) -> line.sawNothing(this.queues, elapsed));
	}

	/**
	 * Note that it took longer than a statement may.
	 * @param elapsed when it ran
	 */
	void brokenOff(Elapsed elapsed) {
		this.lines.forEach((line) -> line.brokenOff(this.queues, elapsed));
	}

}
