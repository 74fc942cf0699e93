package io.gator.worker;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import io.gator.store.JobStore;
import io.gator.store.WorkerStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of slots that serves queues. Thread-safe; can be started again after a stop.
 */
public final class WorkerPool {

	private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);

	/** How long an interrupted handler has to notice. */
	private static final Duration GRACE = Duration.ofSeconds(2);

	/** How long the last outcomes have to reach the database. */
	private static final Duration LAST_SETTLE = Duration.ofSeconds(2);

	private final PoolSettings settings;

	private final WorkerStore workers;

	private final Attempts attempts;

	private final Object lifecycle = new Object();

	private volatile @Nullable Run run;

	private volatile boolean stopping;

	private volatile boolean lockExpected;

	/**
	 * Create a pool.
	 * @param settings how it works
	 * @param workers where it keeps its identity
	 * @param attempts what its attempts need
	 */
	WorkerPool(PoolSettings settings, WorkerStore workers, Attempts attempts) {
		this.settings = settings;
		this.workers = workers;
		this.attempts = attempts;
	}

	/**
	 * The name of the pool.
	 * @return the name
	 */
	public String name() {
		return this.settings.name();
	}

	/**
	 * How the pool works.
	 * @return its settings
	 */
	public PoolSettings settings() {
		return this.settings;
	}

	/**
	 * Make the queues known that are configured or that a job names, before anything is
	 * dispatched to them. A beat that misses one of them does it again.
	 */
	public void registerQueues() {
		this.workers.registerQueues(namedQueues());
	}

	private Set<String> namedQueues() {
		Set<String> queues = new TreeSet<>(this.settings.queues().keySet());
		queues.remove(PoolSettings.ALL);
		this.attempts.routes().all().forEach((route) -> queues.add(route.queue()));
		return queues;
	}

	/**
	 * Begin to claim and run jobs. Does nothing if that has begun.
	 */
	public void start() {
		synchronized (this.lifecycle) {
			if (this.run != null) {
				return;
			}
			Run started = new Run();
			this.run = started;
			started.start();
			logger.info("Pool {} serves {} with {} {}", this.settings.name(), describeQueues(),
					this.settings.concurrency(), this.settings.virtualThreads() ? "virtual slots" : "slots");
		}
	}

	private String describeQueues() {
		return this.settings.queues().isEmpty() ? "all queues" : "queues " + this.settings.queues();
	}

	/**
	 * Stop claiming, let running jobs end, settle, leave. Takes the shutdown time-out and
	 * some seconds at most.
	 */
	public void stop() {
		synchronized (this.lifecycle) {
			Run stopped = this.run;
			if (stopped == null) {
				return;
			}
			long start = System.nanoTime();
			stopped.stop();
			this.run = null;
			logger.info("Pool {} has stopped after {} ms", this.settings.name(),
					TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
		}
	}

	/**
	 * Whether the pool was started and has not stopped.
	 * @return whether it runs
	 */
	public boolean isRunning() {
		return this.run != null;
	}

	/**
	 * Say that there may be work.
	 * @param queues where; an empty name means anywhere
	 */
	public void wake(Collection<String> queues) {
		Run current = this.run;
		if (current != null && concerns(queues)) {
			current.poller.wake(queues);
		}
	}

	private boolean concerns(Collection<String> queues) {
		Set<String> served = this.settings.queues().keySet();
		if (served.isEmpty() || served.contains(PoolSettings.ALL)) {
			return true;
		}
		for (String queue : queues) {
			if (queue.isEmpty() || served.contains(queue)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Say that the pool lives. Called regularly.
	 * @return whether another pool has missed its beats
	 */
	public boolean beat() {
		Run current = this.run;
		return current != null && current.beat();
	}

	/**
	 * Note whether a listener is there that locks what shows the pool's life.
	 * @param expected whether the first claim is to wait for it
	 */
	void expectLock(boolean expected) {
		this.lockExpected = expected;
	}

	/**
	 * Note that the lock that shows the life of an identity was asked for.
	 * @param worker the identity, of whichever pool
	 */
	void lockAsked(long worker) {
		Run current = this.run;
		if (current != null) {
			current.membership.lockAsked(worker);
		}
	}

	/**
	 * Note that the session with the lock of an identity is gone.
	 * @param worker the identity, of whichever pool
	 * @param ended whether the server ended the session, and said so
	 */
	void lockLost(long worker, boolean ended) {
		Run current = this.run;
		if (current != null) {
			current.membership.lockLost(worker, ended);
		}
	}

	/**
	 * The identities under which the pool holds jobs.
	 * @return their ids
	 */
	public Collection<Long> identities() {
		Run current = this.run;
		return (current != null) ? current.membership.identities() : List.of();
	}

	/**
	 * How the pool is.
	 * @return its status
	 */
	public PoolStatus status() {
		Run current = this.run;
		if (current == null) {
			return new PoolStatus(this.settings.name(), false, this.stopping, 0, this.settings.concurrency(), 0, 0, 0,
					null, this.settings.lease(), null, List.of());
		}
		long now = System.nanoTime();
		long silence = current.membership.silence(now);
		return new PoolStatus(this.settings.name(), true, this.stopping, current.slots.busy(),
				this.settings.concurrency(), current.slots.stuck(), current.load.buffered(), current.settler.pending(),
				(silence >= 0) ? Duration.ofNanos(silence) : null, this.settings.lease(),
				PoolStatus.Trouble.worse(current.poller.trouble(now), current.settler.trouble(now)),
				List.copyOf(new TreeSet<>(current.poller.serving())));
	}

	/**
	 * Everything between one start and its stop. Nothing of it is used again.
	 */
	private final class Run {

		private final InFlight inFlight = new InFlight();

		private final Buffer buffer = new Buffer();

		private final WakeUp idle = new WakeUp();

		private final Prefetch prefetch = new Prefetch(WorkerPool.this.settings.concurrency(),
				WorkerPool.this.settings.prefetch().toNanos());

		private final Settler settler;

		private final Load load;

		private final Slots slots;

		private final KnownQueues queues;

		private final Membership membership;

		private final Poller poller;

		private final Thread pollerThread;

		private final Thread settlerThread;

		private @Nullable ScheduledFuture<?> fence;

		Run() {
			PoolSettings settings = WorkerPool.this.settings;
			Attempts attempts = WorkerPool.this.attempts;
			JobStore store = attempts.store();
			this.settler = new Settler(settings.name(), store, this.inFlight, attempts.metrics(), this::settledSome);
			this.load = new Load(settings, this.buffer, this.inFlight, this.settler, this.prefetch);
			this.slots = new Slots(settings, this.buffer, this.settler, this.prefetch, this::done);
			this.queues = new KnownQueues(WorkerPool.this.workers, namedQueues());
			this.membership = new Membership(WorkerPool.this.workers, registration(), this.queues, this.inFlight,
					store.statementTimeout(), () -> WorkerPool.this.lockExpected);
			this.poller = new Poller(settings, store, attempts, this.membership, this.queues, this.load);
			this.pollerThread = new Thread(this.poller::loop, "gator-" + settings.name() + "-poller");
			this.settlerThread = new Thread(this.settler::loop, "gator-" + settings.name() + "-settler");
			// Virtual slots do not keep the process alive as platform threads do.
			this.pollerThread.setDaemon(!settings.virtualThreads());
			this.settlerThread.setDaemon(true);
		}

		private WorkerStore.Registration registration() {
			PoolSettings settings = WorkerPool.this.settings;
			return new WorkerStore.Registration(settings.name(), host(), ProcessHandle.current().pid(),
					settings.heartbeat(), settings.lease(), settings.queues().keySet(),
					WorkerPool.this.attempts.routes().names(), settings.concurrency());
		}

		private static String host() {
			try {
				return InetAddress.getLocalHost().getHostName();
			}
			catch (UnknownHostException ex) {
				return "unknown";
			}
		}

		void start() {
			this.settlerThread.start();
			this.slots.start();
			this.pollerThread.start();
			ScheduledExecutorService clock = WorkerPool.this.attempts.clock();
			long pause = Membership.fencePause(WorkerPool.this.settings);
			this.fence = clock.scheduleAtFixedRate(this::watch, pause, pause, TimeUnit.NANOSECONDS);
		}

		boolean beat() {
			Map<String, Boolean> before = Map.copyOf(this.queues.all());
			boolean missing = this.membership.beat(this.slots.busy(), this.poller.serving());
			if (!before.equals(this.queues.all())) {
				// A queue was resumed, perhaps, or has been seen for the first time.
				this.poller.wake(List.of());
			}
			return missing;
		}

		private void watch() {
			long now = System.nanoTime();
			try {
				this.membership.fence(now);
				this.slots.replaceStuck(now);
			}
			catch (Throwable ex) {
				// Thrown, it would end this watch for ever, and with it the fence.
				logger.error("The watch over pool {} met an unexpected error and goes on",
						WorkerPool.this.settings.name(), ex);
			}
		}

		private void done(int busy) {
			int left = this.load.finished();
			this.poller.worked();
			if (busy == 0 && left == 0) {
				this.settler.flush();
			}
			if (WorkerPool.this.stopping) {
				this.idle.signal();
			}
		}

		private void settledSome(boolean work) {
			if (work) {
				this.poller.wake(List.of());
			}
			// Claims may have been waiting for the settler.
			this.poller.worked();
		}

		/**
		 * In this order: no more claims; what was not started goes back; what runs gets
		 * time, then an interrupt; the last outcomes are written; the pool leaves.
		 */
		void stop() {
			WorkerPool.this.stopping = true;
			long end = System.nanoTime() + WorkerPool.this.settings.shutdownTimeout().toNanos();
			try {
				this.poller.stop();
				// A claim under way may bring jobs, which go back; it may also take its
				// time, because the database is away.
				join(this.pollerThread, WorkerPool.this.attempts.store().statementTimeout());
				this.load.release();
				awaitIdle(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
				this.load.release();
				stopRunning();
				this.slots.stop();
				this.settler.close(System.nanoTime() + LAST_SETTLE.toNanos());
				join(this.settlerThread, LAST_SETTLE.plus(WorkerPool.this.attempts.store().statementTimeout()));
				ScheduledFuture<?> scheduled = this.fence;
				if (scheduled != null) {
					scheduled.cancel(false);
				}
				this.membership.leave(!this.pollerThread.isAlive());
			}
			finally {
				WorkerPool.this.stopping = false;
			}
		}

		private void stopRunning() {
			Collection<Execution> running = this.inFlight.all();
			for (Execution execution : running) {
				execution.stop(Execution.Stop.SHUTDOWN);
			}
			awaitIdle(GRACE);
			for (Execution execution : running) {
				if (ExitOutcome.isExit(execution.stack())) {
					logger.error("{} called System.exit: the attempt counts", execution.describe());
					execution.release(new ExitOutcome(this.settler));
				}
				else if (execution.isRunning()) {
					logger.warn("The end came before that of {}: it goes back", execution.describe());
					execution.release(this.settler);
				}
			}
		}

		private void awaitIdle(Duration timeout) {
			long end = System.nanoTime() + timeout.toNanos();
			for (long left = end - System.nanoTime(); this.load.unfinished() > 0
					&& left > 0; left = end - System.nanoTime()) {
				this.idle.await(left);
			}
		}

		private static void join(Thread thread, Duration timeout) {
			long end = System.nanoTime() + timeout.toNanos();
			boolean interrupted = false;
			for (long left = timeout.toMillis(); thread.isAlive()
					&& left > 0; left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
				try {
					thread.join(left);
				}
				catch (InterruptedException ex) {
					// A second signal does no harm: what has begun to end is ended in
					// order.
					interrupted = true;
				}
			}
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
