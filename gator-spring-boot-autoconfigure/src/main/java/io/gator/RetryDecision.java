package io.gator;

import java.time.Duration;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What a {@link RetryPolicy} decided. Immutable; equal to another one that decides the
 * same.
 */
public final class RetryDecision {

	private static final RetryDecision EXPONENTIAL = new RetryDecision(Kind.EXPONENTIAL, Duration.ZERO, null);

	private static final RetryDecision STOP = new RetryDecision(Kind.STOP, Duration.ZERO, null);

	private final Kind kind;

	private final Duration interval;

	private final @Nullable String queue;

	private RetryDecision(Kind kind, Duration interval, @Nullable String queue) {
		this.kind = kind;
		this.interval = interval;
		this.queue = queue;
	}

	/**
	 * Try again after the given interval.
	 * @param interval the time from the failure to the next attempt, not negative
	 * @return the decision
	 * @throws IllegalArgumentException if the interval is negative
	 */
	public static RetryDecision after(Duration interval) {
		Objects.requireNonNull(interval, "interval");
		if (interval.isNegative()) {
			throw new IllegalArgumentException("A retry cannot be due in the past: " + interval);
		}
		return new RetryDecision(Kind.AFTER, interval, null);
	}

	/**
	 * Try again after {@code 30 + retryCount^5} seconds.
	 * @return the decision
	 */
	public static RetryDecision exponential() {
		return EXPONENTIAL;
	}

	/**
	 * Give up: the job is dead.
	 * @return the decision
	 */
	public static RetryDecision stop() {
		return STOP;
	}

	/**
	 * The same decision, with the retry going to another queue.
	 * @param queue the queue of the retry, of the form
	 * {@code [A-Za-z0-9][A-Za-z0-9._:-]{0,127}}; any other name makes the job dead
	 * @return a new decision
	 */
	public RetryDecision onQueue(String queue) {
		return new RetryDecision(this.kind, this.interval, Objects.requireNonNull(queue, "queue"));
	}

	/**
	 * Whether the job is given up.
	 * @return {@code true} after {@link #stop()}
	 */
	public boolean isStop() {
		return this.kind == Kind.STOP;
	}

	/**
	 * The time from the failure to the next attempt.
	 * @param retryCount the number of retries already made
	 * @return the interval; zero for {@link #stop()}
	 */
	public Duration interval(int retryCount) {
		return (this.kind == Kind.EXPONENTIAL) ? exponential(retryCount) : this.interval;
	}

	/**
	 * The queue of the retry.
	 * @return the queue; {@code null} for that of {@link RetryWith#queue()}, or, if it
	 * names none, the one the job is on
	 */
	public @Nullable String queue() {
		return this.queue;
	}

	private static Duration exponential(int retryCount) {
		// The upper bound keeps the wait below ten thousand years. The count is negative
		// if somebody has lowered the attempts in the row, to give the job more of them.
		long n = Math.max(0, Math.min(retryCount, 198));
		return Duration.ofSeconds(30 + n * n * n * n * n);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof RetryDecision that && this.kind == that.kind && this.interval.equals(that.interval)
				&& Objects.equals(this.queue, that.queue);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.kind, this.interval, this.queue);
	}

	@Override
	public String toString() {
		String what = switch (this.kind) {
			case AFTER -> "after " + this.interval;
			case EXPONENTIAL -> "exponential";
			case STOP -> "stop";
		};
		return (this.queue != null) ? what + " on queue " + this.queue : what;
	}

	private enum Kind {

		AFTER, EXPONENTIAL, STOP

	}

}
