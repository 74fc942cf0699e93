package io.gator.store;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Watches the database's clock for steps forward. After a step every pool seems to have
 * been silent for the length of the step, and the process that looked first would take
 * the jobs of living pools. So beats from before the step are measured on the clock as it
 * would be without the step. Thread-safe.
 */
final class DatabaseClock {

	/**
	 * How far ahead of the expected time an answer may be without a step: answers are
	 * dated no more exactly.
	 */
	private static final Duration TOLERANCE = Duration.ofSeconds(1);

	/**
	 * In how many seconds a clock that is being corrected gains less than one.
	 */
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
				// The clock was put back to before the step.
				this.beforeStep = null;
				this.step = null;
			}
		}
		this.seen = new Seen(time, asked);
	}

	/**
	 * When the last step was.
	 * @return the latest time that the clock can have shown before it, or {@code null} if
	 * there was none
	 */
	synchronized @Nullable OffsetDateTime step() {
		return this.step;
	}

	/**
	 * What the clock would show without the last step.
	 * @return the latest time that it can show, or {@code null} if there was none
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
