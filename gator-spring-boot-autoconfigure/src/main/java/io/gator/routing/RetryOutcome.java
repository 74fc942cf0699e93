package io.gator.routing;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * What follows a failed attempt.
 *
 * @param delay the time from the failure to the next attempt, or {@code null} if there is
 * none and the job is dead
 * @param queue the queue of the retry, or {@code null} to stay where the job is
 * @param policyError what the job's policy threw instead of deciding, or {@code null}; it
 * is also among the suppressed exceptions of the handler's error, if that error accepts
 * any
 */
public record RetryOutcome(@Nullable Duration delay, @Nullable String queue, @Nullable Throwable policyError) {

	static final RetryOutcome DEAD = new RetryOutcome(null, null, null);

}
