package io.gator;

import java.time.Instant;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A recurring job at the moment of asking.
 *
 * @param name the name of the job
 * @param schedule its cron expression and zone, or its interval
 * @param last the last tick; {@code null} before the first one
 * @param next the next tick; {@code null} if it does not tick any more. It lies in the
 * past where no process is up that has the job
 */
public record RecurringInfo(String name, String schedule, @Nullable Instant last, @Nullable Instant next) {

	/**
	 * The last tick.
	 * @return the time; empty before the first one
	 */
	public Optional<Instant> lastTick() {
		return Optional.ofNullable(this.last);
	}

	/**
	 * The next tick.
	 * @return the time, in the past where no process is up that has the job; empty if it
	 * does not tick any more
	 */
	public Optional<Instant> nextTick() {
		return Optional.ofNullable(this.next);
	}

}
