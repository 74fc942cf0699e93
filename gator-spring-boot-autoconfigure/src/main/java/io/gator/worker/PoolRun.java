package io.gator.worker;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

import io.gator.store.JobStore;
import io.gator.store.Notifications;
import io.gator.store.WorkerStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything between one start of a pool and its stop. Nothing of it is used again.
 */
final class PoolRun {

	private static final Logger logger = LoggerFactory.getLogger(PoolRun.class);

	private final PoolSettings settings;

	private final IntSupplier concurrency;

	private final AttemptServices services;

	private final Consumer<Collection<String>> neighbours;

	private final InFlight inFlight = new InFlight();

	private final Buffer buffer = new Buffer();

	private final Sleeper idle = new Sleeper();

	private final Prefetch prefetch;

	private final Settler settler;

	private final Load load;

	private final Slots slots;

	private final KnownQueues queues;

	private final Membership membership;

	private final Poller poller;

	private final Thread pollerThread;

	private final Thread settlerThread;

	private final OnceAMinute watchErrors = new OnceAMinute();

	private @Nullable ScheduledFuture<?> watch;

	private volatile boolean stopping;

	/**
	 * Create a run.
	 * @param settings how the pool works
	 * @param concurrency how many slots it is to have now
	 * @param workers where it keeps its identity
	 * @param services what its attempts need
	 * @param namedQueues the queues that are never to be missing
	 * @param lockExpected whether the first claim is to wait for the lock
	 * @param neighbours wakes the pools of this process that serve certain queues
	 */
	PoolRun(PoolSettings settings, IntSupplier concurrency, WorkerStore workers, AttemptServices services,
			Set<String> namedQueues, BooleanSupplier lockExpected, Consumer<Collection<String>> neighbours) {
		this.settings = settings;
		this.concurrency = concurrency;
		this.neighbours = neighbours;
		this.services = services;
		this.prefetch = new Prefetch(concurrency, settings.prefetch().toNanos());
		JobStore store = services.store();
		this.settler = new Settler(settings.name(), store, this.inFlight, services.metrics(), this::settledSome);
		this.load = new Load(settings, concurrency, this.buffer, this.inFlight, this.settler, this.prefetch);
		this.slots = new Slots(settings, concurrency, this.buffer, this.settler, this.prefetch, this::done);
		this.queues = new KnownQueues(workers, settings, namedQueues);
		this.membership = new Membership(workers, registration(settings, concurrency, services), this.queues,
				this.inFlight, concurrency, store.statementTimeout(), lockExpected);
		this.poller = new Poller(settings, services, this.membership, this.queues, concurrency, this.load,
				System::nanoTime);
		this.pollerThread = new Thread(this.poller::loop, "gator-" + settings.name() + "-poller");
		this.settlerThread = new Thread(this.settler::loop, "gator-" + settings.name() + "-settler");
		// Virtual slots do not keep the process alive as platform threads do.
		this.pollerThread.setDaemon(!settings.virtualThreads());
		this.settlerThread.setDaemon(true);
	}

	private static WorkerStore.Registration registration(PoolSettings settings, IntSupplier concurrency,
			AttemptServices services) {
		return new WorkerStore.Registration(settings.name(), host(), ProcessHandle.current().pid(),
				settings.heartbeat(), settings.lease(), settings.queues().keySet(), services.routes().names(),
				concurrency.getAsInt());
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
		ScheduledExecutorService timer = this.services.timer();
		long pause = Fence.pause(this.settings);
		this.watch = timer.scheduleAtFixedRate(this::watch, pause, pause, TimeUnit.NANOSECONDS);
	}

	/**
	 * Say that there may be work.
	 * @param queues where, if that is known; {@link Notifications#ANYWHERE} may be among
	 * them
	 */
	void wake(Collection<String> queues) {
		this.poller.wake(queues);
	}

	/**
	 * Have as many slots as there are to be now.
	 */
	void resize() {
		// New slots would inherit what is bound to the caller's thread, the user of a
		// request perhaps. If one cannot be started, the watch tries again and says so.
		this.services.timer().execute(this.slots::fit);
		this.poller.wake(List.of());
	}

	/**
	 * Who the pool is.
	 * @return its membership
	 */
	Membership membership() {
		return this.membership;
	}

	PoolStatus status() {
		long now = System.nanoTime();
		long silence = this.membership.silence(now);
		PoolStatus.Trouble trouble = PoolStatus.Trouble.worse(this.poller.trouble(now), this.settler.trouble(now));
		return new PoolStatus(this.settings.name(), true, this.stopping, this.slots.busy(), this.concurrency.getAsInt(),
				this.slots.stuck(), this.load.buffered(), this.settler.pending(),
				(silence >= 0) ? Duration.ofNanos(silence) : null, this.settings.lease(),
				PoolStatus.Trouble.worse(this.membership.trouble(now), trouble));
	}

	/**
	 * Say that the pool lives.
	 * @return whether another pool has missed its beats
	 */
	boolean beat() {
		Map<String, Boolean> before = Map.copyOf(this.queues.all());
		boolean missing = this.membership.beat(this.slots.busy());
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
			if (!this.membership.hasIdentity()) {
				// Whoever has given it up, the poller may be about to sleep for an hour:
				// so long the pool would not beat, nor look for jobs that it has lost.
				this.poller.identityIsGone();
			}
			this.slots.replaceStuck(now);
		}
		catch (Throwable ex) {
			// If it were thrown on, it would end this watch for ever, and with it the
			// fence.
			if (this.watchErrors.isDue()) {
				Quietly.error(logger, "The watch over pool {} met an unexpected error and goes on",
						this.settings.name(), ex);
			}
		}
	}

	private void done(int busy) {
		int left = this.load.finished();
		this.poller.worked();
		if (busy == 0 && left == 0) {
			this.settler.flush();
		}
		if (this.stopping) {
			this.idle.signal();
		}
	}

	private void settledSome(boolean work, Set<String> queues, boolean back) {
		if (work) {
			this.poller.wake(List.of());
		}
		if (!queues.isEmpty()) {
			this.neighbours.accept(queues);
		}
		if (back) {
			this.poller.wentBack();
		}
		// Claims may have been waiting for the settler.
		this.poller.worked();
	}

	/**
	 * In this order: no more claims; what was not started goes back; what runs gets time,
	 * then an interrupt; the last outcomes are written; the pool leaves.
	 */
	void stop() {
		this.stopping = true;
		long end = System.nanoTime() + this.settings.shutdownTimeout().toNanos();
		this.poller.stop();
		// A claim under way may bring jobs, which go back; it may also take its
		// time, because the database is away.
		join(this.pollerThread, this.services.store().statementTimeout());
		this.load.release();
		int busy = this.slots.busy();
		if (busy > 0) {
			logger.info("Pool {} stops, and waits up to {} ms; busy slots: {}", this.settings.name(),
					this.settings.shutdownTimeout().toMillis(), busy);
		}
		awaitIdle(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
		this.load.release();
		stopRunning();
		this.slots.stop();
		this.settler.close(System.nanoTime() + PoolSettings.LAST_SETTLE.toNanos());
		join(this.settlerThread, PoolSettings.LAST_SETTLE.plus(this.services.store().statementTimeout()));
		ScheduledFuture<?> scheduled = this.watch;
		if (scheduled != null) {
			scheduled.cancel(false);
		}
		this.membership.leave(!this.pollerThread.isAlive(), System.nanoTime());
	}

	private void stopRunning() {
		Collection<Execution> running = this.inFlight.all();
		for (Execution execution : running) {
			execution.stop(Execution.Stop.SHUTDOWN);
		}
		awaitIdle(PoolSettings.GRACE);
		for (Execution execution : running) {
			if (execution.isExiting()) {
				logger.error("{} called System.exit: the attempt counts", execution.describe());
				execution.release(ChargingSettlements.exit(this.settler));
			}
			else if (execution.isRunning()) {
				logger.warn("{} did not end within the shutdown time-out and is released", execution.describe());
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
