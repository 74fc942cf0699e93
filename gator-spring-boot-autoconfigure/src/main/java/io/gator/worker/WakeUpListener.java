package io.gator.worker;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.gator.store.Notifications;
import io.gator.store.StoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for the dispatches of other processes, and holds the advisory locks that show
 * that this one lives, on one session. Where that cannot be had, polling and the lease
 * serve alone.
 */
public final class WakeUpListener {

	private static final Logger logger = LoggerFactory.getLogger(WakeUpListener.class);

	private static final Duration CHECK = Duration.ofSeconds(10);

	private final Notifications notifications;

	private final List<WorkerPool> pools;

	private final Duration heartbeat;

	private final Object lifecycle = new Object();

	private volatile @Nullable Loop loop;

	/**
	 * Create a listener.
	 * @param notifications opens sessions
	 * @param pools the pools to wake
	 * @param heartbeat how often to look for new identities to lock
	 */
	public WakeUpListener(Notifications notifications, List<WorkerPool> pools, Duration heartbeat) {
		this.notifications = notifications;
		this.pools = List.copyOf(pools);
		this.heartbeat = heartbeat;
	}

	/**
	 * Begin to listen.
	 */
	public void start() {
		synchronized (this.lifecycle) {
			if (this.loop == null) {
				Loop started = new Loop();
				this.loop = started;
				started.thread.start();
			}
		}
	}

	/**
	 * Listen no more. To be called after the pools have stopped, whose locks show that
	 * they live until then.
	 */
	public void stop() {
		synchronized (this.lifecycle) {
			Loop stopped = this.loop;
			if (stopped != null) {
				stopped.stop();
				this.loop = null;
			}
		}
	}

	/**
	 * Whether a session listens at the moment.
	 * @return whether dispatches of other processes are heard at once
	 */
	public boolean isListening() {
		Loop current = this.loop;
		return current != null && current.listening;
	}

	private final class Loop {

		private final Thread thread = new Thread(this::run, "gator-listener");

		private final Backoff backoff = new Backoff(logger, "The listener");

		private final WakeUp wakeUp = new WakeUp();

		private volatile boolean stopping;

		private volatile boolean listening;

		Loop() {
			this.thread.setDaemon(true);
		}

		void stop() {
			this.stopping = true;
			this.wakeUp.signal();
			try {
				this.thread.join(WakeUpListener.this.heartbeat.plusSeconds(5).toMillis());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		private void run() {
			while (!this.stopping) {
				try (Notifications.Session session = WakeUpListener.this.notifications.open()) {
					listen(session);
				}
				catch (Notifications.PooledException ex) {
					logger.info("{}: other processes are not heard, polling serves alone", ex.getMessage());
					return;
				}
				catch (Throwable ex) {
					this.listening = false;
					this.wakeUp.awaitMillis(this.backoff.failed(ex));
				}
			}
			this.listening = false;
		}

		private void listen(Notifications.Session session) throws StoreException {
			Set<Long> locked = new HashSet<>();
			lock(session, locked);
			this.listening = true;
			this.backoff.succeeded();
			// What was said before this session began was not heard.
			wake(List.of(""));
			long checked = System.nanoTime();
			while (!this.stopping) {
				Collection<String> queues = session.await(WakeUpListener.this.heartbeat);
				if (!queues.isEmpty()) {
					wake(queues);
				}
				lock(session, locked);
				if (System.nanoTime() - checked > CHECK.toNanos()) {
					session.check();
					checked = System.nanoTime();
				}
			}
		}

		private void lock(Notifications.Session session, Set<Long> locked) {
			for (WorkerPool pool : WakeUpListener.this.pools) {
				for (Long worker : pool.identities()) {
					if (locked.add(worker)) {
						session.lock(worker);
					}
				}
			}
		}

		private void wake(Collection<String> queues) {
			boolean control = queues.contains(Notifications.CONTROL);
			for (WorkerPool pool : WakeUpListener.this.pools) {
				if (control) {
					pool.beat();
				}
				pool.wake(queues);
			}
		}

	}

}
