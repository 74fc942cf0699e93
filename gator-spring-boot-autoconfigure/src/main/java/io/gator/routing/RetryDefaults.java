package io.gator.routing;

import org.jspecify.annotations.Nullable;

/**
 * The application's rule for jobs without {@code @RetryWith}.
 *
 * @param interval the interval as in {@code RetryWith.interval}; {@code null} or empty
 * for the exponential one
 * @param maxRetries the number of retries, {@code -1} for no limit
 */
public record RetryDefaults(@Nullable String interval, int maxRetries) {

	/**
	 * Not to retry: the first failure makes the job dead.
	 */
	public static final RetryDefaults NONE = new RetryDefaults(null, 0);

}
