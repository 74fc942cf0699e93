package io.gator.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Calls the duties of maintenance: each at its interval, and out of turn when somebody
 * asks. A duty that fails is tried again next time. Those that may take minutes have a
 * thread of their own, so that rescues and recurring jobs do not wait for them.
 */
public final class Upkeep {

	private static final Logger logger = LoggerFactory.getLogger(Upkeep.class);

	private static final Duration QUIET = Duration.ofMinutes(1);

	private final List<Duty> duties;

	private final Object lifecycle = new Object();

	/** When a failure of each kind was last spoken of. */
	private final Map<Class<?>, Long> warned = new ConcurrentHashMap<>();

	private final AtomicBoolean asked = new AtomicBoolean();

	private volatile @Nullable ScheduledExecutorService thread;

	private @Nullable ScheduledExecutorService slowThread;

	/**
	 * Create an upkeep.
	 * @param duties the duties
	 */
	public Upkeep(List<Duty> duties) {
		this.duties = List.copyOf(duties);
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
			if (this.thread == null) {
				// Its connections are closed as the application ends.
				return;
			}
			// While the database is away some duties fail every few seconds.
			long now = System.nanoTime();
			Long last = this.warned.get(ex.getClass());
			if (last == null || now - last >= QUIET.toNanos()) {
				this.warned.put(ex.getClass(), now);
				logger.warn("A duty of maintenance failed and will be tried again: {}", ex.getMessage());
			}
		}
	}

	/**
	 * Begin to perform the duties.
	 */
	public void start() {
		synchronized (this.lifecycle) {
			if (this.thread == null) {
				// What was asked of a thread that had stopped is not under way any more.
				this.asked.set(false);
				this.thread = start("gator-upkeep-", false);
				this.slowThread = start("gator-upkeep-slow-", true);
			}
		}
	}

	private ScheduledExecutorService start(String name, boolean slow) {
		CustomizableThreadFactory threads = new CustomizableThreadFactory(name);
		threads.setDaemon(true);
		// What is asked of it while it is stopped is not to be done any more.
		ScheduledExecutorService started = new ScheduledThreadPoolExecutor(1, threads, new DiscardPolicy());
		for (Duty duty : this.duties) {
			if (duty.slow() == slow) {
				Repeat.after(duty.interval(), () -> perform(duty.work()), started);
			}
		}
		return started;
	}

	/**
	 * Perform them no more.
	 */
	public void stop() {
		synchronized (this.lifecycle) {
			stop(this.thread);
			stop(this.slowThread);
			this.thread = null;
			this.slowThread = null;
		}
	}

	private static void stop(@Nullable ScheduledExecutorService thread) {
		if (thread != null) {
			thread.shutdown();
		}
	}

	/**
	 * Something to be done again and again.
	 *
	 * @param work what to do
	 * @param interval the time between the end of one turn and the begin of the next
	 * @param slow whether a turn may take long, because it reads whole tables
	 */
	public record Duty(Runnable work, Duration interval, boolean slow) {

	}

}
