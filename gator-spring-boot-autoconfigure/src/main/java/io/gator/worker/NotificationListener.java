package io.gator.worker;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import io.gator.store.ErrorText;
import io.gator.store.Notifications;
import io.gator.store.StoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for the dispatches of other processes, and holds the advisory locks that show
 * that this one lives, on one session. Where no such session can be had, polling and the
 * lease serve alone.
 */
public final class NotificationListener {

	private static final Logger logger = LoggerFactory.getLogger(NotificationListener.class);

	/**
	 * How long between two checks whether the session is still there. A session that was
	 * cut silently wakes nobody, and its locks are free as soon as the server notices,
	 * which this process should know. Less than half a minute, after which some networks
	 * close idle connections.
	 */
	private static final Duration CHECK_INTERVAL = Duration.ofSeconds(20);

	/** How long between two looks for identities without a lock, which ask no server. */
	private static final Duration SLICE = Duration.ofMillis(100);

	/** The same in the first second, when pools wait for their locks to claim. */
	private static final Duration FIRST_SLICE = Duration.ofMillis(5);

	private static final Duration YOUNG = Duration.ofSeconds(1);

	/**
	 * How long a session has to end in order. If the server does not answer, the session
	 * is cut with the other connections.
	 */
	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(2);

	private final Notifications notifications;

	private final List<WorkerPool> pools;

	private final Duration heartbeat;

	private final Duration longestLease;

	private final Object lifecycle = new Object();

	private volatile @Nullable Loop loop;

	/** When a session broke last, or could not be had. */
	private volatile @Nullable Long brokenAt;

	/**
	 * Create a listener.
	 * @param notifications opens sessions
	 * @param pools the pools to wake
	 * @param heartbeat how often the pools beat
	 */
	public NotificationListener(Notifications notifications, List<WorkerPool> pools, Duration heartbeat) {
		this.notifications = notifications;
		this.pools = List.copyOf(pools);
		this.heartbeat = heartbeat;
		this.longestLease = pools.stream()
			.map((pool) -> pool.settings().lease())
			.max(Comparator.naturalOrder())
			.orElse(heartbeat);
	}

	/**
	 * Begin to listen.
	 */
	public void start() {
		synchronized (this.lifecycle) {
			if (this.loop == null) {
				expectLock(true);
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

	/**
	 * Whether the session has broken of late, or could not be had. The sessions of other
	 * processes may have broken with it, so that their locks are free though they live.
	 * @param within how long ago at most
	 * @return whether it has
	 */
	public boolean hasBroken(Duration within) {
		Long last = this.brokenAt;
		return last != null && System.nanoTime() - last <= within.toNanos();
	}

	private void expectLock(boolean expected) {
		this.pools.forEach((pool) -> pool.expectLock(expected));
	}

	private final class Loop {

		private final Thread thread = new Thread(this::run, "gator-listener");

		private final Backoff backoff = new Backoff(logger, "The listener");

		private final Sleeper sleeper = new Sleeper();

		private final Duration slice = (NotificationListener.this.heartbeat.compareTo(SLICE) < 0)
				? NotificationListener.this.heartbeat : SLICE;

		private final PoolLocks locks = new PoolLocks(NotificationListener.this.pools);

		private volatile boolean stopping;

		private volatile boolean listening;

		/** How a session broke, if the pools have not been told yet. */
		private @Nullable Throwable broken;

		Loop() {
			this.thread.setDaemon(true);
		}

		void stop() {
			this.stopping = true;
			this.sleeper.signal();
			try {
				this.thread.join(STOP_TIMEOUT.toMillis());
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		private void run() {
			try {
				listenUntilStopped();
			}
			finally {
				expectLock(false);
			}
		}

		private void listenUntilStopped() {
			while (!this.stopping) {
				try (Notifications.Session session = NotificationListener.this.notifications.open()) {
					tellLost();
					listen(session);
				}
				catch (Notifications.PooledException ex) {
					logger.info("{}: other processes are not heard, polling serves alone", ex.getMessage());
					return;
				}
				catch (Throwable ex) {
					this.listening = false;
					if (this.broken == null) {
						this.broken = ex;
					}
					recover(ex);
				}
			}
		}

		/**
		 * Where there is no memory left this fails as well, and must not end the loop.
		 */
		private void recover(Throwable error) {
			try {
				NotificationListener.this.brokenAt = System.nanoTime();
				tellLost();
				this.sleeper.awaitMillis(this.backoff.failed(error));
			}
			catch (Throwable ex) {
				Quietly.error(logger, "{} met an unexpected error and goes on", "The listener", ex);
			}
		}

		/** Pools that do not know would trust in locks that are free. */
		private void tellLost() {
			Throwable reason = this.broken;
			if (reason != null) {
				this.locks.lost(reason);
				this.broken = null;
			}
		}

		private void listen(Notifications.Session session) throws StoreException {
			// For as long as its lease a pool may run its jobs, though it is cut off and
			// hears nothing.
			session.outlast(NotificationListener.this.longestLease);
			this.locks.acquire(session);
			this.listening = true;
			this.backoff.succeeded();
			// What was said before this session began was not heard.
			wake(List.of(Notifications.ANYWHERE));
			long began = System.nanoTime();
			long checked = began;
			while (!this.stopping) {
				Collection<String> queues = session.await(isYoung(began) ? FIRST_SLICE : this.slice);
				if (!queues.isEmpty()) {
					wake(queues);
				}
				this.locks.acquire(session);
				if (System.nanoTime() - checked > CHECK_INTERVAL.toNanos()) {
					session.check();
					checked = System.nanoTime();
				}
			}
		}

		private static boolean isYoung(long began) {
			return System.nanoTime() - began < YOUNG.toNanos();
		}

		private void wake(Collection<String> queues) {
			boolean changed = queues.contains(Notifications.CHANGE);
			for (WorkerPool pool : NotificationListener.this.pools) {
				if (changed) {
					beat(pool);
				}
				pool.wake(queues);
			}
		}

		private static void beat(WorkerPool pool) {
			try {
				pool.beat();
			}
			catch (RuntimeException ex) {
				// That was another connection: this session and its locks are sound, and
				// the next heartbeat says and hears the same.
				logger.debug("Pool {} could not beat at once: {}", pool.name(), ErrorText.messageOf(ex));
			}
		}

	}

}
