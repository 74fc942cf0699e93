package io.gator.worker;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.gator.store.StoreException;
import io.gator.store.WorkerStore;

/**
 * The queues of the cluster, as a pool knows them: from its last beat, and from what it
 * heard since. Thread-safe.
 */
final class KnownQueues {

	private final WorkerStore store;

	private final Set<String> named;

	private final Map<String, Boolean> paused = new ConcurrentHashMap<>();

	/**
	 * Create the knowledge of a pool.
	 * @param store keeps the queues
	 * @param named those of the application's own, which are never to be missing
	 */
	KnownQueues(WorkerStore store, Set<String> named) {
		this.store = store;
		this.named = named;
	}

	/**
	 * All queues, and whether each is paused.
	 * @return the queues, as of the last beat
	 */
	Map<String, Boolean> all() {
		return this.paused;
	}

	/**
	 * Believe in a queue before the next beat tells of it.
	 * @param queue the queue
	 */
	void heardOf(String queue) {
		if (!queue.isEmpty()) {
			this.paused.putIfAbsent(queue, false);
		}
	}

	/**
	 * Take over what a beat has told.
	 * @param queues all queues, and whether each is paused
	 * @throws StoreException if one of the application's own is missing and cannot be
	 * written again
	 */
	void learn(Map<String, Boolean> queues) {
		this.paused.keySet().retainAll(queues.keySet());
		this.paused.putAll(queues);
		if (!queues.keySet().containsAll(this.named)) {
			// Somebody has emptied the table, as tests do. A pool that serves all queues
			// would serve none.
			this.store.registerQueues(this.named);
			this.named.forEach(this::heardOf);
		}
	}

}
