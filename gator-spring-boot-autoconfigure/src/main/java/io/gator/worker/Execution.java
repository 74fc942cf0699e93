package io.gator.worker;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.routing.Route;
import io.gator.store.ClaimedJob;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something that a slot runs: one attempt, or a batch of them. It is run at most once;
 * until then it can be withdrawn, and while it runs it can be stopped.
 */
abstract class Execution {

	private static final Logger logger = LoggerFactory.getLogger("io.gator.jobs");

	/**
	 * Why an execution was stopped.
	 */
	enum Stop {

		/** The job was cancelled by somebody. */
		CANCELLED,

		/** It took longer than it may. */
		TIMED_OUT,

		/** The pool stops: the attempt does not count. */
		SHUTDOWN,

		/** The pool could not beat, so its jobs may be given to another one. */
		FENCED

	}

	private final Object monitor = new Object();

	private final long worker;

	private final long claimedAtNanos;

	private @Nullable Thread thread;

	private volatile @Nullable Stop stop;

	private volatile long stoppedAtNanos;

	private volatile boolean timedOut;

	private boolean handled;

	private boolean over;

	private final int size;

	private final AtomicInteger unsettled;

	volatile @Nullable Future<?> timeout;

	InFlight.@Nullable Claim claim;

	/** Where it stands in its claim. */
	int place;

	/**
	 * Create an execution.
	 * @param worker the identity under which it was claimed
	 * @param claimedAtNanos when it was claimed, in monotonic time
	 * @param size how many jobs it holds
	 */
	Execution(long worker, long claimedAtNanos, int size) {
		this.worker = worker;
		this.claimedAtNanos = claimedAtNanos;
		this.size = size;
		this.unsettled = new AtomicInteger(size);
	}

	/**
	 * The identity under which it was claimed.
	 * @return the identity
	 */
	final long worker() {
		return this.worker;
	}

	final long claimedAtNanos() {
		return this.claimedAtNanos;
	}

	/**
	 * How long one of its jobs has waited from when it was due.
	 * @param job the job
	 * @param start when it began, in monotonic time
	 * @return nanoseconds
	 */
	final long waitedNanos(ClaimedJob job, long start) {
		return (long) (job.waited() * 1e9) + Math.max(0, start - this.claimedAtNanos);
	}

	/**
	 * The ids of its jobs.
	 * @return the ids
	 */
	abstract Collection<Long> ids();

	/**
	 * How many jobs it holds.
	 * @return the number
	 */
	final int size() {
		return this.size;
	}

	/**
	 * A name for log lines.
	 * @return id, name and queue
	 */
	abstract String describe();

	/**
	 * Run it, and hand what becomes of its jobs to the settlements.
	 * @param settlements takes what becomes of its jobs
	 */
	abstract void run(Settlements settlements);

	/**
	 * Hear that another slot has taken the place of its slot, because its handler does
	 * not end.
	 */
	void slotReplaced() {
	}

	/**
	 * Give back those of its jobs that are not settled: uncharged, unless the handler has
	 * had its time, or only the call of {@code @OnDead} has not ended.
	 * @param settlements takes what becomes of its jobs
	 */
	abstract void release(Settlements settlements);

	/**
	 * Why it is to stop.
	 * @return the reason, or {@code null} if it may go on
	 */
	final @Nullable Stop stopReason() {
		return this.stop;
	}

	/**
	 * Make a handler that returned too late fail.
	 * @param route the job
	 * @throws JobTimeoutException if it has had its time, whatever has stopped it since
	 */
	final void failIfTimedOut(Route route) {
		if (this.timedOut) {
			throw JobTimeoutException.of(route, null);
		}
	}

	/**
	 * Whether nothing may be called any more: the pool ends, or its jobs may be given to
	 * another one.
	 * @param reason why the execution was stopped, or {@code null}
	 * @return whether its jobs are to go back
	 */
	static boolean mustGoBack(@Nullable Stop reason) {
		return reason == Stop.SHUTDOWN || reason == Stop.FENCED;
	}

	/**
	 * How long it has gone on though it was stopped.
	 * @return nanoseconds; 0 if it was not stopped
	 */
	final long ignoring(long now) {
		return (this.stop != null) ? now - this.stoppedAtNanos : 0;
	}

	/**
	 * Begin: from here on a stop interrupts the current thread.
	 */
	final void begin() {
		synchronized (this.monitor) {
			this.thread = Thread.currentThread();
			if (this.stop != null) {
				interrupt(this.thread);
			}
		}
	}

	/**
	 * Let the handler begin without the interrupt of a listener, which would end its
	 * first wait. One of a stop stays.
	 */
	final void dropInterruptOfOthers() {
		synchronized (this.monitor) {
			if (this.stop == null) {
				Thread.interrupted();
			}
		}
	}

	/**
	 * Say that the handler has ended: what comes now, such as the call of
	 * {@code @OnDead}, has no time-out, is not interrupted by a flag that the handler
	 * left or by a stop that concerned the handler, and is no part of its transaction.
	 * @param job the name of the job
	 * @return why the handler was stopped, or {@code null} if it was not
	 */
	final @Nullable Stop endHandling(String job) {
		Stop reason;
		synchronized (this.monitor) {
			this.handled = true;
			reason = this.stop;
			this.stop = null;
			// Inside the lock, or it would clear the interrupt of a stop that concerns
			// what comes now.
			Thread.interrupted();
		}
		cancelTimeout();
		ThreadState.clean(job);
		return reason;
	}

	/**
	 * Stop the handler, which is about to be called, if it takes too long.
	 * @param timer runs what is due at some time
	 * @param time how long it may take, or {@code null} for as long as it likes
	 */
	final void scheduleTimeout(ScheduledExecutorService timer, @Nullable Duration time) {
		if (time != null) {
			this.timeout = timer.schedule(() -> stop(Stop.TIMED_OUT), TimeUnit.NANOSECONDS.convert(time),
					TimeUnit.NANOSECONDS);
		}
	}

	private void cancelTimeout() {
		Future<?> pending = this.timeout;
		if (pending != null) {
			pending.cancel(false);
		}
	}

	/**
	 * End: nothing interrupts the current thread any more, and no interrupt is left on
	 * it.
	 */
	final void end() {
		synchronized (this.monitor) {
			this.thread = null;
			this.over = true;
		}
		cancelTimeout();
		// The next handler must not find the interrupt flag of this one.
		Thread.interrupted();
	}

	/**
	 * Stop it. The first reason counts. A later one replaces it only if the jobs must go
	 * back for that and need not for the first: nothing may be called then, whatever else
	 * has happened to the handler. Once the handler has ended, a time-out or a
	 * cancellation does not count any more.
	 * @param reason why
	 * @return whether this call has stopped it; {@code false} if it has ended, or the
	 * reason does not count
	 */
	final boolean stop(Stop reason) {
		synchronized (this.monitor) {
			boolean counts = mustGoBack(reason) ? !mustGoBack(this.stop) : this.stop == null && !this.handled;
			if (this.over || !counts) {
				return false;
			}
			if (this.stop == null) {
				// In this order: a thread that sees the reason must not see an older
				// time.
				this.stoppedAtNanos = System.nanoTime();
			}
			this.timedOut |= reason == Stop.TIMED_OUT;
			this.stop = reason;
			if (this.thread != null) {
				interrupt(this.thread);
			}
			return true;
		}
	}

	/**
	 * To interrupt a thread that waits in a channel or a selector runs code of that
	 * channel or selector. A handler's own one may throw anything, which must not keep
	 * other jobs from being stopped.
	 */
	private void interrupt(Thread waiting) {
		try {
			waiting.interrupt();
		}
		catch (Throwable ex) {
			Quietly.error(logger, "What {} waits for could not be interrupted", this, ex);
		}
	}

	/**
	 * Whether the handler has had its time, whatever has stopped it since.
	 * @return whether its attempt counts
	 */
	final boolean hasTimedOut() {
		return this.timedOut;
	}

	final boolean isRunning() {
		synchronized (this.monitor) {
			return this.thread != null;
		}
	}

	/**
	 * Whether its handler is ending the JVM.
	 * @return whether it has called {@code System.exit}
	 */
	final boolean isExiting() {
		for (StackTraceElement frame : stack()) {
			if (frame.getClassName().equals(Runtime.class.getName()) && frame.getMethodName().equals("exit")) {
				return true;
			}
		}
		return false;
	}

	private StackTraceElement[] stack() {
		synchronized (this.monitor) {
			return (this.thread != null) ? this.thread.getStackTrace() : new StackTraceElement[0];
		}
	}

	@Override
	public final String toString() {
		return describe();
	}

	/**
	 * Note that one of its jobs is settled.
	 * @return whether it was not settled before
	 */
	final boolean settledOne() {
		return this.unsettled.getAndUpdate((left) -> Math.max(0, left - 1)) > 0;
	}

	final boolean isSettled() {
		return this.unsettled.get() == 0;
	}

}
