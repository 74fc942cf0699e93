package io.gator;

import java.time.Instant;
import java.util.List;

/**
 * A pool of slots in some process, at the moment of asking.
 *
 * @param id the identity under which it claims jobs
 * @param pool the name of the pool
 * @param host the host of its process
 * @param pid the id of its process
 * @param startedAt when it took up work under this identity
 * @param lastBeat when it was last heard of, on the database's clock
 * @param queues the queues that it serves
 * @param slots how many jobs it runs at once
 * @param busy how many slots were busy at the last beat
 */
public record WorkerInfo(long id, String pool, String host, long pid, Instant startedAt, Instant lastBeat,
		List<String> queues, int slots, int busy) {

	/**
	 * Create an info.
	 */
	public WorkerInfo {
		queues = List.copyOf(queues);
	}

}
