package io.gator.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import io.gator.maintenance.Heartbeat;
import io.gator.maintenance.Upkeep;
import io.gator.store.ErrorText;
import io.gator.worker.NotificationListener;
import io.gator.worker.WorkerPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * Starts all that runs in a process in this order, and stops it in the reverse order: the
 * heartbeat, the upkeep, the listener, the pools. One bean does it for all, because beans
 * that depend on each other are stopped by their dependencies and not by their phases:
 * the heartbeat would stop first, and a pool that still settles would be taken for dead.
 */
final class WorkerLifecycle implements SmartLifecycle, DisposableBean {

	/**
	 * Pools start after what their handlers use, and stop before it.
	 */
	static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 512;

	private static final Logger logger = LoggerFactory.getLogger(WorkerLifecycle.class);

	private final WorkerPools pools;

	private final Heartbeat heartbeat;

	private final Upkeep upkeep;

	private final @Nullable NotificationListener listener;

	private final Duration shutdown;

	private final BooleanSupplier closed;

	private volatile boolean running;

	/** Completed when the stop that was asked for last has ended. */
	private volatile CompletableFuture<Boolean> stopped = CompletableFuture.completedFuture(true);

	private volatile long stopAskedAtNanos;

	/**
	 * Create the lifecycle.
	 * @param pools the pools
	 * @param heartbeat beats for them
	 * @param upkeep keeps the tables up
	 * @param listener wakes the pools, if there is one
	 * @param shutdown how long Spring waits for a stop
	 * @param closed whether the application is closed, or about to be
	 */
	WorkerLifecycle(WorkerPools pools, Heartbeat heartbeat, Upkeep upkeep, @Nullable NotificationListener listener,
			Duration shutdown, BooleanSupplier closed) {
		this.pools = pools;
		this.heartbeat = heartbeat;
		this.upkeep = upkeep;
		this.listener = listener;
		this.shutdown = shutdown;
		this.closed = closed;
	}

	/**
	 * Start. A stop for which Spring has not waited comes to its end before.
	 */
	@Override
	public void start() {
		CompletableFuture<Boolean> last = this.stopped;
		if (!last.isDone()) {
			logger.info("The pools have not stopped yet, and start again when they have");
			// The lock alone would not do: that stop may not have begun. An interrupt
			// does not end this wait, and stays noted.
			last.join();
		}
		startStopped();
	}

	private synchronized void startStopped() {
		// The application may have been closed meanwhile: nobody would stop these pools.
		if (this.running || this.closed.getAsBoolean()) {
			return;
		}
		try {
			this.pools.registerQueues();
		}
		catch (RuntimeException ex) {
			logger.warn("The queues of this application are not registered yet: {}", ErrorText.messageOf(ex));
		}
		try {
			startAll();
		}
		catch (Throwable ex) {
			// Spring stops only what has started, and slots would keep the process alive.
			// The pools stop one after the other: there may be no threads left to stop
			// them at the same time.
			this.pools.all().forEach(WorkerPool::stop);
			stopOthers();
			throw ex;
		}
		this.running = true;
	}

	private void startAll() {
		this.heartbeat.start();
		this.upkeep.start();
		// Before the pools: their first claims wait for the locks that show that they
		// live.
		if (this.listener != null) {
			this.listener.start();
		}
		this.pools.all().forEach(WorkerPool::start);
	}

	@Override
	public synchronized void stop() {
		if (!this.running) {
			return;
		}
		stopPools();
		stopOthers();
		this.running = false;
	}

	private void stopOthers() {
		if (this.listener != null) {
			this.listener.stop();
		}
		this.upkeep.stop();
		this.heartbeat.stop();
	}

	/**
	 * All pools stop at the same time, and none waits for another one.
	 */
	private void stopPools() {
		CompletableFuture
			.allOf(this.pools.all()
				.stream()
				.map((pool) -> CompletableFuture.runAsync(pool::stop, thread("gator-" + pool.name() + "-stop")))
				.toArray(CompletableFuture<?>[]::new))
			.exceptionally((ex) -> {
				logger.error("A pool has not stopped in order", ex);
				return null;
			})
			// A second signal does not break off this wait, and stays noted.
			.join();
	}

	private static Executor thread(String name) {
		return (task) -> {
			try {
				new Thread(task, name).start();
			}
			catch (OutOfMemoryError ex) {
				// No thread can be started any more. Pools must stop all the same.
				task.run();
			}
		};
	}

	@Override
	public void stop(Runnable callback) {
		CompletableFuture<Boolean> ended = new CompletableFuture<>();
		this.stopAskedAtNanos = System.nanoTime();
		this.stopped = ended;
		thread("gator-stop").execute(() -> {
			try {
				stop();
			}
			finally {
				ended.complete(true);
				callback.run();
			}
		});
	}

	/**
	 * Wait for a stop that Spring has not waited for. If a handler closes its
	 * application, the stop interrupts the thread of that handler, on which Spring waits:
	 * Spring then goes on to destroy beans with which the pools still settle. This waits
	 * as long as Spring would have waited, no longer.
	 */
	@Override
	public void destroy() {
		long left = this.shutdown.toNanos() - (System.nanoTime() - this.stopAskedAtNanos);
		// The interrupt does not end this wait, and stays noted.
		this.stopped.completeOnTimeout(false, Math.max(0, left), TimeUnit.NANOSECONDS).join();
	}

	/**
	 * Whether there is something to start or to stop. Spring starts only what does not
	 * run: a stop for which it has not waited to the end does not count, or the pools
	 * would be left out of the start and end afterwards. Spring waits only for what runs:
	 * when the application closes, such a stop does count, or the beans of the handlers
	 * that it waits for would be destroyed.
	 */
	@Override
	public boolean isRunning() {
		// In this order: a stop that ends in between must not look like none.
		boolean counts = this.stopped.isDone() || this.closed.getAsBoolean();
		return counts && this.running;
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

}
