package io.gator.routing;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The times at which people let jobs be due. A time further ahead than ten years is a
 * mistake, such as milliseconds taken for seconds.
 */
public final class DueTimes {

	/** What is allowed, for messages. */
	public static final String RULE = "must be at most ten years ahead";

	private static final Duration TEN_YEARS = Duration.ofDays(3653);

	private DueTimes() {
	}

	/**
	 * Tell whether a job may wait for so long.
	 * @param wait the time to wait
	 * @return {@code false} also for {@code null} and if it is negative
	 */
	public static boolean isValid(@Nullable Duration wait) {
		return wait != null && !wait.isNegative() && wait.compareTo(TEN_YEARS) <= 0;
	}

	/**
	 * Tell whether a job may be due at a time.
	 * @param time the time
	 * @return {@code false} also for {@code null}
	 */
	public static boolean isValid(@Nullable Instant time) {
		return time != null && !time.isAfter(Instant.now().plus(TEN_YEARS));
	}

	/**
	 * Make a time one that the database can hold: its calendar begins later than Java's.
	 * @param time a valid time
	 * @return the time; for one that is long past another one, which means the same
	 */
	public static Instant storable(Instant time) {
		return time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time;
	}

}
