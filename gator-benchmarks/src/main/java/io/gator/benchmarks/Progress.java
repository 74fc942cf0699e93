package io.gator.benchmarks;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the handlers of all contestants report to: how many jobs ran, since when, and for
 * how long in all.
 */
final class Progress {

	private static volatile Duration patience = Duration.ofMinutes(5);

	private static volatile Progress current = new Progress(0);

	private final long expected;

	private final AtomicLong runs = new AtomicLong();

	private final LongAdder busy = new LongAdder();

	private final AtomicLong firstStart = new AtomicLong();

	private final CountDownLatch done = new CountDownLatch(1);

	private volatile long lastEnd;

	private Progress(long expected) {
		this.expected = expected;
	}

	static Progress expect(long jobs) {
		Progress progress = new Progress(jobs);
		current = progress;
		return progress;
	}

	static Progress current() {
		return current;
	}

	/** A job without any duration. */
	static void tick() {
		Progress progress = current;
		if (progress.firstStart.get() == 0) {
			progress.firstStart.compareAndSet(0, System.nanoTime());
		}
		progress.ended();
	}

	/** A job that began at a time and ends now. */
	static void ran(long start) {
		Progress progress = current;
		progress.firstStart.compareAndSet(0, start);
		progress.busy.add(System.nanoTime() - start);
		progress.ended();
	}

	private void ended() {
		if (this.runs.incrementAndGet() == this.expected) {
			this.lastEnd = System.nanoTime();
			this.done.countDown();
		}
	}

	/**
	 * Say how long a scenario may take before it has failed.
	 */
	static void patience(Duration atMost) {
		patience = atMost;
	}

	/**
	 * Wait for the last job.
	 * @throws IllegalStateException if that takes too long
	 */
	void await() throws InterruptedException {
		if (!this.done.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
			throw new IllegalStateException(this.runs + " of " + this.expected + " jobs ran in " + patience);
		}
	}

	void requireExactly() {
		if (this.runs.get() != this.expected) {
			throw new IllegalStateException(this.runs + " runs of " + this.expected + " jobs");
		}
	}

	long runs() {
		return this.runs.get();
	}

	long firstStart() {
		return this.firstStart.get();
	}

	long lastEnd() {
		return this.lastEnd;
	}

	long busy() {
		return this.busy.sum();
	}

}
