package io.gator.store;

import java.util.List;
import java.util.Set;

/**
 * What to claim.
 *
 * @param worker the identity of the pool
 * @param names the names of the jobs that it knows
 * @param queues the queues, in the order in which they are served
 * @param total the most jobs in all
 */
public record ClaimRequest(long worker, Set<String> names, List<Share> queues, int total) {

	/**
	 * The share of a queue.
	 *
	 * @param queue the queue
	 * @param quota the most jobs from it
	 * @param after only immediate jobs with a greater id
	 * @param dueAfter only delayed jobs due at that time or later, in seconds since the
	 * epoch
	 */
	public record Share(String queue, int quota, long after, double dueAfter) {

	}

}
