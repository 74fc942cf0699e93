package io.gator.dispatch;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

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
	private static final int MAX_NAMES = 10_000;

	private static final Duration MEMORY = Duration.ofMinutes(1);

	private static final Duration PAUSE = Duration.ofSeconds(2);

	private final DispatchStore store;

	private final Set<String> known = ConcurrentHashMap.newKeySet();

	/** Those that could not be written yet. */
	private final Set<String> missing = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean trying = new AtomicBoolean();

	private final LongSupplier nanoTime;

	private volatile long forgetAt;

	private volatile long pausedUntil;

	QueueRegistrar(DispatchStore store) {
		this(store, System::nanoTime);
	}

	QueueRegistrar(DispatchStore store, LongSupplier nanoTime) {
		this.store = store;
		this.nanoTime = nanoTime;
		this.pausedUntil = nanoTime.getAsLong();
		this.forgetAt = this.pausedUntil + MEMORY.toNanos();
	}

	/**
	 * Register a queue if that is not known to be done. Whoever comes while another one
	 * is writing names leaves that to it: where that takes long, dispatches are not to
	 * wait for it one after the other.
	 * @param queue the queue
	 */
	void register(String queue) {
		long now = this.nanoTime.getAsLong();
		if (this.forgetAt - now < 0) {
			this.forgetAt = now + MEMORY.toNanos();
			this.known.clear();
		}
		if (!this.known.contains(queue) && this.missing.size() < MAX_NAMES) {
			this.missing.add(queue);
		}
		// Again, because a name may come just when the last one is written.
		while (!this.missing.isEmpty() && this.pausedUntil - now <= 0 && this.trying.compareAndSet(false, true)) {
			try {
				registerMissing();
			}
			finally {
				this.trying.set(false);
			}
		}
	}

	private void registerMissing() {
		try {
			for (String each : this.missing) {
				this.store.register(each);
				if (this.known.size() >= MAX_NAMES) {
					this.known.clear();
				}
				this.known.add(each);
				this.missing.remove(each);
			}
		}
		catch (RuntimeException ex) {
			// From the end on: it may have taken longer than the pause.
			this.pausedUntil = this.nanoTime.getAsLong() + PAUSE.toNanos();
			logger.debug("The queues {} could not be registered; a later dispatch tries again", this.missing, ex);
		}
	}

}
