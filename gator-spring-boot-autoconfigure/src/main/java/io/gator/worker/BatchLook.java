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
	 * @param start when it began, in monotonic time
	 * @param end when it was over
	 */
	void sawNothing(long start, long end) {
		this.lines.forEach((line) -> line.sawNothing(this.queues, start, end));
	}

	/**
	 * Note that it took longer than a statement may.
	 * @param start when it began, in monotonic time
	 * @param end when it was broken off
	 */
	void gaveUp(long start, long end) {
		this.lines.forEach((line) -> line.gaveUp(start, end));
	}

}
