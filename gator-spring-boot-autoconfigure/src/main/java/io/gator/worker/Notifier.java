package io.gator.worker;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import io.gator.store.ErrorText;
import io.gator.store.JobStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.DisposableBean;

/**
 * Tells the pools of other processes that there is work: at once, but over time by no
 * more than one notification in 10 ms, and never in somebody's transaction, because
 * commits that notify queue up behind one lock of the server. Thread-safe.
 */
public final class Notifier implements DisposableBean {

	private static final Logger logger = LoggerFactory.getLogger(Notifier.class);

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/**
	 * What a burst may take in advance: notifications may run five ahead of one in 10 ms
	 * before the next one has to wait.
	 */
	private static final long AHEAD_NANOS = 5 * PAUSE_NANOS;

	private final JobStore store;

	private final ScheduledExecutorService thread;

	private final Object monitor = new Object();

	private Set<String> queues = new HashSet<>();

	/**
	 * Whether these will be sent; {@code false} also where no thread could be started for
	 * it.
	 */
	private boolean planned;

	/**
	 * The time by which all notifications so far would have been sent at one in 10 ms.
	 */
	private long paid = System.nanoTime();

	/**
	 * Create a notifier.
	 * @param store sends the notifications
	 */
	public Notifier(JobStore store) {
		this(store, Notifier::thread);
	}

	Notifier(JobStore store, ThreadFactory threads) {
		this.store = store;
		this.thread = new ScheduledThreadPoolExecutor(1, threads);
	}

	/**
	 * It begins with the first dispatch, and would keep for ever what it inherits from
	 * the thread of that: a request, perhaps, and its user.
	 */
	private static Thread thread(Runnable task) {
		Thread thread = new Thread(null, task, "gator-notifier-1", 0, false);
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * Say that queues have work. Returns at once.
	 * @param names the queues
	 */
	public void notify(Collection<String> names) {
		synchronized (this.monitor) {
			this.queues.addAll(names);
			if (!this.planned && !this.thread.isShutdown()) {
				long now = System.nanoTime();
				long pause = Math.max(0, this.paid - AHEAD_NANOS - now);
				this.paid = ((this.paid - now > 0) ? this.paid : now) + PAUSE_NANOS;
				this.thread.schedule(this::send, pause, TimeUnit.NANOSECONDS);
				this.planned = true;
			}
		}
	}

	private void send() {
		Set<String> names;
		synchronized (this.monitor) {
			this.planned = false;
			names = this.queues;
			this.queues = new HashSet<>();
		}
		if (names.isEmpty()) {
			return;
		}
		try {
			this.store.notifyWork(names);
		}
		catch (RuntimeException ex) {
			// A hint is lost; the others will find the work when they poll.
			logger.debug("Other pools could not be notified: {}", ErrorText.messageOf(ex));
		}
	}

	@Override
	public void destroy() {
		this.thread.shutdownNow();
	}

}
