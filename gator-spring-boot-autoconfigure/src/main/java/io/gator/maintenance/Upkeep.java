package io.gator.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor.DiscardPolicy;
import java.util.concurrent.atomic.AtomicBoolean;

import io.gator.store.ErrorText;
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

	/** When a failure of each class was last logged. */
	private final Map<Class<?>, Long> warned = new ConcurrentHashMap<>();

	private volatile @Nullable Threads threads;

	/**
	 * Create an upkeep.
	 * @param duties the duties
	 */
	public Upkeep(List<Duty> duties) {
		this.duties = List.copyOf(duties);
	}

	/**
	 * Do a duty soon. Returns at once, and does nothing while a duty that was asked for
	 * has not begun yet.
	 * @param duty the duty
	 */
	public void ask(Runnable duty) {
		Threads running = this.threads;
		if (running != null && running.asked().compareAndSet(false, true)) {
			try {
				running.quick().execute(() -> {
					running.asked().set(false);
					perform(duty);
				});
			}
			catch (Throwable ex) {
				// Without memory it will never begin, and others would wait for it.
				running.asked().set(false);
				throw ex;
			}
		}
	}

	private void perform(Runnable duty) {
		try {
			duty.run();
		}
		catch (Throwable ex) {
			if (this.threads == null) {
				// The application ends and closes the connections of its duties.
				return;
			}
			// While the database is away some duties fail every few seconds.
			long now = System.nanoTime();
			Long last = this.warned.get(ex.getClass());
			if (last == null || now - last >= QUIET.toNanos()) {
				this.warned.put(ex.getClass(), now);
				logger.warn("A duty of maintenance failed and will be tried again: {}", ErrorText.messageOf(ex));
			}
		}
	}

	/**
	 * Begin to perform the duties.
	 */
	public void start() {
		synchronized (this.lifecycle) {
			if (this.threads == null) {
				this.threads = new Threads(start("gator-upkeep-", false), start("gator-upkeep-slow-", true),
						new AtomicBoolean());
			}
		}
	}

	private ScheduledExecutorService start(String name, boolean slow) {
		CustomizableThreadFactory threads = new CustomizableThreadFactory(name);
		threads.setDaemon(true);
		// A duty that is asked for while the thread is stopped is not to be done any
		// more.
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
			Threads stopped = this.threads;
			if (stopped != null) {
				this.threads = null;
				stopped.quick().shutdown();
				stopped.slow().shutdown();
			}
		}
	}

	/**
	 * The threads that run from a start to the next stop.
	 *
	 * @param quick performs what is asked for, and the duties that take little time
	 * @param slow performs the others
	 * @param asked whether a duty is asked for and has not begun. Each start has its own
	 * flag: a duty that the threads before were asked for may never begin
	 */
	private record Threads(ScheduledExecutorService quick, ScheduledExecutorService slow, AtomicBoolean asked) {

	}

	/**
	 * Something to be done again and again.
	 *
	 * @param work what to do
	 * @param interval the time between the end of one turn and the begin of the next
	 * @param slow whether a turn may take long, because it reads whole tables
	 */
	public record Duty(Runnable work, Duration interval, boolean slow) {

		/**
		 * Create a duty that is soon done.
		 * @param work what to do
		 * @param interval the time between the end of one turn and the begin of the next
		 * @return the duty
		 */
		public static Duty quick(Runnable work, Duration interval) {
			return new Duty(work, interval, false);
		}

		/**
		 * Create a duty that may take long, because it reads whole tables.
		 * @param work what to do
		 * @param interval the time between the end of one turn and the begin of the next
		 * @return the duty
		 */
		public static Duty slow(Runnable work, Duration interval) {
			return new Duty(work, interval, true);
		}

	}

}
