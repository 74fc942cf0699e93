package io.gator.worker;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

import io.gator.routing.Names;
import io.gator.store.StoreException;
import io.gator.store.WorkerStore;
import org.jspecify.annotations.Nullable;

/**
 * The queues of the cluster, as a pool knows them: from its last beat, and from what it
 * heard since. Thread-safe.
 */
final class KnownQueues {

	/**
	 * At most this many queues are believed in because of notifications: anybody who may
	 * connect to the database may notify. All others come with the search for queues once
	 * a minute.
	 */
	private static final int MAX_HEARD = 1_000;

	private final WorkerStore store;

	private final PoolSettings settings;

	private final Set<String> named;

	private final Map<String, Boolean> pausedByQueue = new ConcurrentHashMap<>();

	/** Those that no beat has told of yet, and those that beats tell of no more. */
	private final Set<String> heard = ConcurrentHashMap.newKeySet();

	/** Those that the last beat has told of. */
	private Set<String> told = Set.of();

	/** When the last beat was sent from which it has learned. */
	private @Nullable Long lastAsked;

	/**
	 * Create the knowledge of a pool.
	 * @param store keeps the queues
	 * @param settings the pool
	 * @param named the application's own queues, which must never be missing
	 */
	KnownQueues(WorkerStore store, PoolSettings settings, Set<String> named) {
		this.store = store;
		this.settings = settings;
		this.named = named;
	}

	/**
	 * All queues, and whether each is paused.
	 * @return the queues, as of the last beat, and those heard of since; it changes
	 */
	Map<String, Boolean> all() {
		return this.pausedByQueue;
	}

	/**
	 * Those that the pool serves, with their weights.
	 * @return the queues in their order, as they are known now
	 */
	Map<String, Integer> serving() {
		return this.settings.serving(this.pausedByQueue);
	}

	/**
	 * Believe in a queue before the next beat tells of it.
	 * @param queue the queue; ignored if that is not a valid name
	 */
	void heardOf(String queue) {
		if (Names.isValid(queue) && !this.pausedByQueue.containsKey(queue) && this.heard.size() < MAX_HEARD) {
			this.heard.add(queue);
			this.pausedByQueue.putIfAbsent(queue, false);
		}
	}

	/**
	 * Take over what a beat has told, and write the queues that are missing. Somebody may
	 * have emptied the table, as tests do, or the process that dispatched could not write
	 * the name: a pool that serves all queues would not serve these.
	 * <p>
	 * Several threads beat, and may come here in another order than they have asked: what
	 * an older beat tells is passed over, or a queue that was just paused would go on.
	 * @param queues all queues, and whether each is paused
	 * @param asked when the beat was sent, in monotonic time
	 * @throws StoreException if one of the application's own, or one that was heard of,
	 * is missing and cannot be written
	 */
	void learn(Map<String, Boolean> queues, long asked) {
		if (!isNews(queues, asked)) {
			return;
		}
		Set<String> missing = new TreeSet<>(this.named);
		missing.removeAll(queues.keySet());
		Set<String> unknown = new TreeSet<>(this.heard);
		unknown.removeAll(missing);
		missing.forEach((queue) -> this.pausedByQueue.putIfAbsent(queue, false));
		if (!missing.isEmpty()) {
			this.store.registerQueues(missing);
		}
		if (!unknown.isEmpty()) {
			this.store.registerHeardQueues(unknown);
			this.heard.removeAll(unknown);
		}
	}

	private synchronized boolean isNews(Map<String, Boolean> queues, long asked) {
		Long last = this.lastAsked;
		if (last != null && asked - last < 0) {
			return false;
		}
		this.lastAsked = asked;
		// A dispatcher believes for a while that they are known, and a notification of
		// its job may have come before this beat.
		this.told.stream().filter((queue) -> !queues.containsKey(queue)).forEach((queue) -> {
			this.heard.add(queue);
			this.pausedByQueue.replace(queue, false);
		});
		this.told = Set.copyOf(queues.keySet());
		// Those that were heard of must not vanish, even for a moment: a claim would pass
		// over the job of which a notification has just told.
		this.pausedByQueue.keySet().removeIf((queue) -> !queues.containsKey(queue) && !this.heard.contains(queue));
		this.pausedByQueue.putAll(queues);
		this.heard.removeAll(queues.keySet());
		return true;
	}

}
