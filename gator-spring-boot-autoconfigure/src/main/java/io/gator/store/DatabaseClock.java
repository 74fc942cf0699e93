package io.gator.store;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Watches the database's clock for steps forward. After one everybody seems to have been
 * silent for as long, and whoever came first would take the jobs of all who live. Beats
 * of before it are counted by the clock as it would be without it. Thread-safe.
 */
final class DatabaseClock {

	/** Answers are dated no better than that. */
	private static final Duration TOLERANCE = Duration.ofSeconds(1);

	/** What a clock that is being corrected gains, and more. */
	private static final int DRIFT = 1_000;

	private final LongSupplier nanoTime;

	private @Nullable Seen seen;

	private @Nullable Seen beforeStep;

	private @Nullable OffsetDateTime step;

	/**
	 * Create a watch.
	 * @param nanoTime the monotonic time of this process
	 */
	DatabaseClock(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * The monotonic time, to be asked before the database is.
	 * @return nanoseconds
	 */
	long nanos() {
		return this.nanoTime.getAsLong();
	}

	/**
	 * Note what the clock has shown.
	 * @param time the database's time
	 * @param asked when it was asked for
	 */
	synchronized void saw(OffsetDateTime time, long asked) {
		Seen last = this.seen;
		if (last != null) {
			OffsetDateTime latest = last.latest(nanos());
			if (time.isAfter(latest)) {
				this.beforeStep = last;
				this.step = latest;
			}
			else if (this.step != null && !time.isAfter(this.step)) {
				// It was put back.
				this.beforeStep = null;
				this.step = null;
			}
		}
		this.seen = new Seen(time, asked);
	}

	/**
	 * When the last step was.
	 * @return the latest time of before it, or {@code null} if there was none
	 */
	synchronized @Nullable OffsetDateTime step() {
		return this.step;
	}

	/**
	 * What the clock would show without the last step.
	 * @return the latest time that it may be, or {@code null} if there was none
	 */
	synchronized @Nullable OffsetDateTime withoutStep() {
		Seen last = this.beforeStep;
		return (last != null) ? last.latest(nanos()) : null;
	}

	private record Seen(OffsetDateTime time, long asked) {

		OffsetDateTime latest(long nanos) {
			Duration since = Duration.ofNanos(nanos - this.asked);
			return this.time.plus(since).plus(since.dividedBy(DRIFT)).plus(TOLERANCE);
		}

	}

}
