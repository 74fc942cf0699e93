package io.gator.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Lets the pools of this process beat, on a thread that does nothing else. To be started
 * before the pools and stopped after them: a pool that is still settling must not be
 * taken for dead.
 */
public final class Heartbeat {

	private static final Logger logger = LoggerFactory.getLogger(Heartbeat.class);

	private final List<Member> members;

	private final Duration interval;

	private final Runnable missing;

	private final Object lifecycle = new Object();

	private @Nullable ScheduledExecutorService thread;

	/**
	 * Create a heartbeat.
	 * @param members who beats
	 * @param interval how often
	 * @param missing what to do when another pool has missed its beats; must not block
	 */
	public Heartbeat(List<Member> members, Duration interval, Runnable missing) {
		this.members = List.copyOf(members);
		this.interval = interval;
		this.missing = missing;
	}

	/**
	 * Let each pool beat once.
	 * @return how many could not
	 */
	int runOnce() {
		int failed = 0;
		boolean somebodyIsMissing = false;
		for (Member member : this.members) {
			try {
				somebodyIsMissing |= member.beat();
			}
			catch (Exception ex) {
				failed++;
				logger.debug("A pool could not beat: {}", ex.getMessage());
			}
		}
		if (somebodyIsMissing) {
			this.missing.run();
		}
		return failed;
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
				started.scheduleWithFixedDelay(this::beat, this.interval.toNanos(), this.interval.toNanos(),
						TimeUnit.NANOSECONDS);
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
	 * Somebody who beats.
	 */
	@FunctionalInterface
	public interface Member {

		/**
		 * Say that the member lives.
		 * @return whether another pool has missed its beats
		 */
		boolean beat();

	}

}
