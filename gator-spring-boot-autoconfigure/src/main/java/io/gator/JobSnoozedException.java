package io.gator;

import java.time.Duration;
import java.util.Objects;

/**
 * Thrown by a handler to be called again later. The attempt is not charged: it counts
 * neither as a failure nor against {@link RetryWith#maxRetries()}. Throw it directly:
 * wrapped in another exception it counts as a failure.
 */
public class JobSnoozedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Duration delay;

	/**
	 * Ask to be called again.
	 * @param delay the time until then, not negative
	 * @throws IllegalArgumentException if the delay is negative
	 */
	public JobSnoozedException(Duration delay) {
		super("Snoozed for " + Objects.requireNonNull(delay, "delay"));
		if (delay.isNegative()) {
			throw new IllegalArgumentException("A job cannot be snoozed into the past: " + delay);
		}
		this.delay = delay;
	}

	/**
	 * The time until the next attempt.
	 * @return the delay
	 */
	public final Duration delay() {
		return this.delay;
	}

}
