package io.gator.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Which batches of buffered jobs to claim, if they are ready.
 *
 * @param worker the identity of the pool
 * @param queues where to look
 * @param dueAfter only delayed items that were due then or later, in seconds since the
 * epoch; negative infinity for all
 * @param jobs the jobs
 * @param total at most how many batches to claim in all; if more jobs have one, the first
 * of the list go first. Where more than one may be claimed of a job, no fewer than of all
 * jobs together
 */
public record BatchRequest(long worker, List<String> queues, double dueAfter, List<Buffered> jobs, int total) {

	/**
	 * A buffered job.
	 *
	 * @param names its name and aliases
	 * @param size the most items of a batch; a batch that has so many is ready
	 * @param batches at most how many batches to claim
	 * @param maxWait how long the oldest item waits at most before a batch is ready
	 * @param window how many waiting items of each queue to look at
	 * @param keyed whether items with different keys go into different batches; if not,
	 * keys are ignored, which rows may still have from when they did
	 * @param after for each of the queues, in their order: only immediate items with a
	 * greater id
	 */
	public record Buffered(Set<String> names, int size, int batches, Duration maxWait, int window, boolean keyed,
			List<Long> after) {

	}

	/**
	 * Where to look for items in a queue.
	 *
	 * @param queue the queue
	 * @param after only immediate items with a greater id
	 */
	public record From(String queue, long after) {

	}

}
