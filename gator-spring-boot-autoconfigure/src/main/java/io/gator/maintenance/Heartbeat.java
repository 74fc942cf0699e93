package io.gator.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

import io.gator.store.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Lets the pools of this process beat, on a thread that does nothing else. To be started
 * before the pools and stopped after them: a pool that is still settling must not be
 * taken for dead.
 * <p>
 * When beats of this process fail or come late, other processes may have been cut off
 * from the database as well. If another server takes over, their locks are free there
 * until they have come back, although their pools live. So {@link Missing} is told for a
 * while that this process is not steady.
 */
public final class Heartbeat {

	private static final Logger logger = LoggerFactory.getLogger(Heartbeat.class);

	/**
	 * How long all beats of this process must have come in time before a free lock is
	 * taken as a sign that a pool is dead.
	 */
	public static final Duration STEADY = Duration.ofSeconds(10);

	private final List<BooleanSupplier> pools;

	private final Duration interval;

	private final Missing missing;

	private final LongSupplier nanoTime;

	/** When all pools had last beaten. */
	private long complete;

	/** When a beat last failed, or came late; {@code null} if none has. */
	private volatile @Nullable Long shaken;

	private final Object lifecycle = new Object();

	private @Nullable ScheduledExecutorService thread;

	/**
	 * Create a heartbeat.
	 * @param pools let each pool beat, and say whether another pool has missed its beats
	 * @param interval how often
	 * @param missing what to do when another pool has missed its beats
	 */
	public Heartbeat(List<BooleanSupplier> pools, Duration interval, Missing missing) {
		this(pools, interval, missing, System::nanoTime);
	}

	Heartbeat(List<BooleanSupplier> pools, Duration interval, Missing missing, LongSupplier nanoTime) {
		this.pools = List.copyOf(pools);
		this.interval = interval;
		this.missing = missing;
		this.nanoTime = nanoTime;
		this.complete = nanoTime.getAsLong();
	}

	/**
	 * Let each pool beat once.
	 * @return how many could not
	 */
	int runOnce() {
		int failed = 0;
		boolean somebodyIsMissing = false;
		Throwable unexpected = null;
		for (BooleanSupplier pool : this.pools) {
			try {
				somebodyIsMissing |= pool.getAsBoolean();
			}
			catch (Exception ex) {
				failed++;
				logger.debug("A pool could not beat: {}", ErrorText.messageOf(ex));
			}
			catch (Throwable ex) {
				// Logged only when the pools behind this one have beaten.
				failed++;
				unexpected = ex;
			}
		}
		note(failed);
		if (somebodyIsMissing) {
			this.missing.missing(this::isSteady);
		}
		if (unexpected != null) {
			logger.error("The beat of a pool met an unexpected error, and will be tried again", unexpected);
		}
		return failed;
	}

	private void note(int failed) {
		long now = this.nanoTime.getAsLong();
		if (failed > 0 || now - this.complete > 3 * this.interval.toNanos()) {
			this.shaken = now;
		}
		if (failed == 0) {
			this.complete = now;
		}
	}

	private boolean isSteady() {
		Long last = this.shaken;
		return last == null || this.nanoTime.getAsLong() - last > STEADY.toNanos();
	}

	/**
	 * Begin to beat.
	 */
	public void start() {
		synchronized (this.lifecycle) {
			if (this.thread == null) {
				CustomizableThreadFactory threads = new CustomizableThreadFactory("gator-heartbeat-");
				threads.setDaemon(true);
				ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(threads);
				this.complete = this.nanoTime.getAsLong();
				Repeat.after(this.interval, this::beat, started);
				this.thread = started;
			}
		}
	}

	private void beat() {
		try {
			runOnce();
		}
		catch (Throwable ex) {
			logger.error("The heartbeat met an unexpected error and goes on", ex);
		}
	}

	/**
	 * Beat no more.
	 */
	public void stop() {
		synchronized (this.lifecycle) {
			ScheduledExecutorService stopped = this.thread;
			if (stopped != null) {
				stopped.shutdown();
				this.thread = null;
			}
		}
	}

	/**
	 * What to do when another pool has missed its beats.
	 */
	@FunctionalInterface
	public interface Missing {

		/**
		 * Called after each round of beats that misses a pool. Must not block.
		 * @param steady tells whether all beats of this process have come in time of
		 * late; to be asked when something is done about the missing pool, by any thread
		 */
		void missing(BooleanSupplier steady);

	}

}
