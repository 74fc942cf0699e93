package io.gator.dispatch;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.gator.store.DispatchStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes queues known to those who serve all of them, each once a minute at most: what was
 * written may be gone, with a table that somebody has emptied. The store does that on a
 * connection of the engine's own, so a caller who holds one of the application's does not
 * wait for another. A name that cannot be written is tried again with the next dispatch
 * to any queue; until then a pool may hear of it, or find it.
 */
final class QueueRegistrar {

	private static final Logger logger = LoggerFactory.getLogger(QueueRegistrar.class);

	/** Beyond so many names they are not remembered for ever. */
	private static final int MANY = 10_000;

	private static final Duration MEMORY = Duration.ofMinutes(1);

	private static final Duration PAUSE = Duration.ofSeconds(2);

	private final DispatchStore store;

	private final Set<String> known = ConcurrentHashMap.newKeySet();

	/** Those that could not be written yet. */
	private final Set<String> missing = ConcurrentHashMap.newKeySet();

	private volatile long forgetAt = System.nanoTime() + MEMORY.toNanos();

	private volatile long pausedUntil = System.nanoTime();

	QueueRegistrar(DispatchStore store) {
		this.store = store;
	}

	void register(String queue) {
		register(queue, System.nanoTime());
	}

	/**
	 * Register a queue if that is not known to be done.
	 * @param queue the queue
	 * @param now the monotonic time
	 */
	void register(String queue, long now) {
		if (this.forgetAt - now < 0) {
			this.forgetAt = now + MEMORY.toNanos();
			this.known.clear();
		}
		if (!this.known.contains(queue) && this.missing.size() < MANY) {
			this.missing.add(queue);
		}
		if (this.missing.isEmpty() || this.pausedUntil - now > 0) {
			return;
		}
		try {
			for (String each : this.missing) {
				this.store.register(each);
				if (this.known.size() >= MANY) {
					this.known.clear();
				}
				this.known.add(each);
				this.missing.remove(each);
			}
		}
		catch (RuntimeException ex) {
			this.pausedUntil = now + PAUSE.toNanos();
			logger.debug("The queues {} could not be registered; a later dispatch tries again", this.missing, ex);
		}
	}

}
