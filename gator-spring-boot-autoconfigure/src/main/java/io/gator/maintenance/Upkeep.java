package io.gator.maintenance;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The thread that calls the duties of maintenance: each at its interval, and out of turn
 * when somebody asks. A duty that fails is tried again next time.
 */
public final class Upkeep implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(Upkeep.class);

	private final Map<Runnable, Duration> duties;

	private final int phase;

	private final Object lifecycle = new Object();

	private final AtomicBoolean asked = new AtomicBoolean();

	private volatile @Nullable ScheduledExecutorService thread;

	/**
	 * Create an upkeep.
	 * @param duties the duties and their intervals
	 * @param phase the phase of the lifecycle
	 */
	public Upkeep(Map<Runnable, Duration> duties, int phase) {
		this.duties = Map.copyOf(duties);
		this.phase = phase;
	}

	/**
	 * Do a duty soon. Returns at once; while it is asked for already nothing is added.
	 * @param duty the duty
	 */
	public void ask(Runnable duty) {
		ScheduledExecutorService running = this.thread;
		if (running != null && this.asked.compareAndSet(false, true)) {
			running.execute(() -> {
				this.asked.set(false);
				perform(duty);
			});
		}
	}

	private void perform(Runnable duty) {
		try {
			duty.run();
		}
		catch (Throwable ex) {
			logger.warn("A duty of maintenance failed and will be tried again: {}", ex.getMessage());
		}
	}

	@Override
	public void start() {
		synchronized (this.lifecycle) {
			if (this.thread == null) {
				CustomizableThreadFactory threads = new CustomizableThreadFactory("gator-upkeep-");
				threads.setDaemon(true);
				ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(threads);
				this.duties.forEach((duty, interval) -> started.scheduleWithFixedDelay(() -> perform(duty),
						interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS));
				this.thread = started;
			}
		}
	}

	@Override
	public void stop() {
		synchronized (this.lifecycle) {
			ScheduledExecutorService stopped = this.thread;
			if (stopped != null) {
				stopped.shutdown();
				this.thread = null;
			}
		}
	}

	@Override
	public boolean isRunning() {
		return this.thread != null;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

}
