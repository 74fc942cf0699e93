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
 * Makes queues known to the pools that serve all queues. Each name is written at most
 * once a minute; it is written again because somebody may have emptied the table. The
 * store writes it on a connection of the engine's own, so a caller that holds a
 * connection of the application does not wait for a second one. A name that cannot be
 * written is tried again with the next dispatch to any queue; until then a pool may hear
 * of the queue by a notification, or find it in the jobs.
 */
final class QueueRegistrar {

	private static final Logger logger = LoggerFactory.getLogger(QueueRegistrar.class);

	/** How many names are remembered at most: they must not fill the memory. */
	private static final int MAX_NAMES = 10_000;

	private static final Duration MEMORY = Duration.ofMinutes(1);

	private static final Duration PAUSE = Duration.ofSeconds(2);

	private final DispatchStore store;

	private final Set<String> known = ConcurrentHashMap.newKeySet();

	/** Names that are not written yet. */
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
	 * Register a queue unless it is known to be registered. If another thread is writing
	 * names, this one leaves its name to that thread: dispatches must not wait one after
	 * the other where writing takes long.
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
		// In a loop, because a name may come just after the last one was written.
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
			// The pause begins now: the attempt may have taken longer than the pause.
			this.pausedUntil = this.nanoTime.getAsLong() + PAUSE.toNanos();
			logger.debug("The queues {} could not be registered; a later dispatch tries again", this.missing, ex);
		}
	}

}
