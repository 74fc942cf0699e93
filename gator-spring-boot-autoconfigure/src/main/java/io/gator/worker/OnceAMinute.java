package io.gator.worker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps what may go wrong for every job from filling the log. Thread-safe.
 */
public final class OnceAMinute {

	private static final long NANOS = Duration.ofMinutes(1).toNanos();

	private final AtomicLong last = new AtomicLong(System.nanoTime() - NANOS);

	/**
	 * Whether it may be said now. If so, it is not to be said again for a minute.
	 * @return whether it was not said in the last minute
	 */
	public boolean isDue() {
		long now = System.nanoTime();
		long before = this.last.get();
		return now - before >= NANOS && this.last.compareAndSet(before, now);
	}

}
