package io.gator.worker;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one thread sleep until it is signalled. A signal that comes before the sleep is
 * not lost: the next sleep ends at once.
 */
final class Sleeper {

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition signalled = this.lock.newCondition();

	private boolean signal;

	private volatile boolean waiting;

	/**
	 * End the sleep that is going on, or the next one.
	 */
	void signal() {
		this.lock.lock();
		try {
			this.signal = true;
			this.signalled.signal();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Whether a thread sleeps, or is about to. Cheap enough to ask for every job.
	 * @return whether a signal would be of use
	 */
	boolean isWaiting() {
		return this.waiting;
	}

	/**
	 * Say that a sleep is about to begin. A thread that makes a change and then asks
	 * {@link #isWaiting()} signals, unless a check between this call and {@link #await}
	 * already sees the change.
	 */
	void prepare() {
		this.waiting = true;
	}

	/**
	 * Say that there will be no sleep after all, so that nobody signals for nothing.
	 */
	void carryOn() {
		this.waiting = false;
	}

	/**
	 * Sleep.
	 * @param nanos how long at most
	 * @return whether there was a signal
	 */
	boolean await(long nanos) {
		this.lock.lock();
		try {
			this.waiting = true;
			long left = nanos;
			while (!this.signal && left > 0) {
				try {
					left = this.signalled.awaitNanos(left);
				}
				catch (InterruptedException ex) {
					// Nobody has a reason to interrupt the engine's own threads; a
					// handler's library that does must not end them.
					continue;
				}
			}
			boolean was = this.signal;
			this.signal = false;
			return was;
		}
		finally {
			this.waiting = false;
			this.lock.unlock();
		}
	}

	boolean awaitMillis(long millis) {
		return await(TimeUnit.MILLISECONDS.toNanos(millis));
	}

}
