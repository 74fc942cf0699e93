package io.gator.worker;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

import io.gator.routing.Names;
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

	/** Those that no beat has told of yet. */
	private final Set<String> heard = ConcurrentHashMap.newKeySet();

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
	 * @param queue the queue; what is no name of one is ignored
	 */
	void heardOf(String queue) {
		if (Names.isValid(queue) && !this.paused.containsKey(queue)) {
			this.heard.add(queue);
			this.paused.putIfAbsent(queue, false);
		}
	}

	/**
	 * Take over what a beat has told.
	 * @param queues all queues, and whether each is paused
	 * @throws StoreException if one of the application's own, or one that was heard of,
	 * is missing and cannot be written
	 */
	void learn(Map<String, Boolean> queues) {
		this.paused.keySet().retainAll(queues.keySet());
		this.paused.putAll(queues);
		this.heard.removeAll(queues.keySet());
		Set<String> missing = new TreeSet<>(this.named);
		missing.addAll(this.heard);
		missing.removeAll(queues.keySet());
		if (!missing.isEmpty()) {
			// Somebody has emptied the table, as tests do, or whoever dispatched could
			// not write the name. A pool that serves all queues would not serve these.
			missing.forEach((queue) -> this.paused.putIfAbsent(queue, false));
			this.store.registerQueues(missing);
			this.heard.removeAll(missing);
		}
	}

}
