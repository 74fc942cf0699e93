package io.gator.worker;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.gator.store.StoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * How long to wait after errors of the queue: 50 ms, then twice as long each time, up to
 * 3 s, jittered so that many pools do not come back at one moment. Logs errors once a
 * minute at most. Used by one thread; any thread may ask for the trouble.
 */
final class Backoff {

	private static final long FIRST_MILLIS = 50;

	/**
	 * The longest pause: shorter than the time within which work must resume after an
	 * outage.
	 */
	private static final long LONGEST_MILLIS = 3_000;

	/** How long a try may take before it counts as a trouble, though it is not over. */
	private static final long SLOW_NANOS = 1_000_000_000L;

	private final Logger logger;

	private final String who;

	private final OnceAMinute logs = new OnceAMinute();

	private int failures;

	private boolean logged;

	private volatile @Nullable Failing failing;

	/** When the try that is under way began. */
	private volatile @Nullable Long trying;

	Backoff(Logger logger, String who) {
		this.logger = logger;
		this.who = who;
	}

	/**
	 * Note that a try begins, which may hang.
	 */
	void begins(long now) {
		this.trying = now;
	}

	/**
	 * Note that the try is over, whatever came of it.
	 */
	void ends() {
		this.trying = null;
	}

	/**
	 * Note a failure.
	 * @param error what happened
	 * @return how long to wait, in milliseconds
	 */
	long failed(Throwable error) {
		try {
			this.failing = new Failing(failingSince(), !isConfiguration(error));
			log(error);
		}
		catch (Throwable ex) {
			// There may be no memory even for this. The caller must go on: it has a loop
			// to keep going, or outcomes to write.
		}
		ends();
		int shift = Math.min(this.failures, 10);
		this.failures++;
		long pause = Math.min(LONGEST_MILLIS, FIRST_MILLIS << shift);
		return pause / 2 + ThreadLocalRandom.current().nextLong(pause / 2 + 1);
	}

	private long failingSince() {
		Failing before = this.failing;
		if (before != null) {
			return before.since();
		}
		Long began = this.trying;
		return (began != null) ? began : System.nanoTime();
	}

	private void log(Throwable error) {
		if (!this.logs.isDue()) {
			return;
		}
		this.logged = true;
		if (error instanceof StoreException store && !isConfiguration(error)) {
			this.logger.warn("{} waits for the database: {}", this.who, store.getMessage());
		}
		else {
			this.logger.error("{} cannot go on and will keep trying", this.who, error);
		}
	}

	private static boolean isConfiguration(Throwable error) {
		return error instanceof StoreException store && store.kind() == StoreException.Kind.CONFIGURATION;
	}

	/**
	 * Note that it works.
	 */
	void succeeded() {
		ends();
		if (this.failures > 0) {
			this.failures = 0;
			this.failing = null;
			if (this.logged) {
				this.logged = false;
				this.logger.info("{} works again", this.who);
			}
		}
	}

	/**
	 * What keeps it from working.
	 * @return the trouble, or {@code null} if the last try worked, and this one does not
	 * hang
	 */
	PoolStatus.@Nullable Trouble trouble(long now) {
		Failing current = this.failing;
		if (current != null) {
			return new PoolStatus.Trouble(Duration.ofNanos(Math.max(0, now - current.since())), current.passing());
		}
		Long began = this.trying;
		return (began != null && now - began > SLOW_NANOS) ? new PoolStatus.Trouble(Duration.ofNanos(now - began), true)
				: null;
	}

	/**
	 * A row of failures.
	 *
	 * @param since the monotonic time of the first one
	 * @param passing whether the last one may go away by itself
	 */
	private record Failing(long since, boolean passing) {

	}

}
