package io.gator.dispatch;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.gator.store.DispatchStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Makes queues known to those who serve all of them, each once in the life of this
 * process. That takes a connection, which must not be waited for by a caller who holds
 * one already: inside a transaction it is left to a thread of its own. A failure only
 * delays it to a later dispatch.
 */
final class QueueRegistrar {

	private static final Logger logger = LoggerFactory.getLogger(QueueRegistrar.class);

	/** Beyond so many names they are not remembered for ever. */
	private static final int MANY = 10_000;

	private static final Duration GRACE = Duration.ofSeconds(5);

	private static final Duration PAUSE = Duration.ofSeconds(10);

	private final DispatchStore store;

	private final Set<String> known = ConcurrentHashMap.newKeySet();

	private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

	private volatile long pausedUntil = System.nanoTime();

	QueueRegistrar(DispatchStore store) {
		this.store = store;
	}

	void register(String queue) {
		if (this.known.contains(queue) || this.pausedUntil - System.nanoTime() > 0) {
			return;
		}
		if (this.known.size() >= MANY) {
			this.known.clear();
		}
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			run(queue);
		}
		else if (this.known.add(queue)) {
			Thread thread = new Thread(() -> run(queue), "gator-queue-registration");
			this.threads.add(thread);
			thread.start();
		}
	}

	/**
	 * Wait for what is under way.
	 */
	void close() {
		long end = System.nanoTime() + GRACE.toNanos();
		for (Thread thread : this.threads) {
			try {
				thread.join(Math.max(1, Duration.ofNanos(end - System.nanoTime()).toMillis()));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

	private void run(String queue) {
		try {
			this.store.register(queue);
			this.known.add(queue);
		}
		catch (RuntimeException ex) {
			this.known.remove(queue);
			this.pausedUntil = System.nanoTime() + PAUSE.toNanos();
			logger.debug("The queue {} could not be registered; a later dispatch tries again", queue, ex);
		}
		finally {
			this.threads.remove(Thread.currentThread());
		}
	}

}
