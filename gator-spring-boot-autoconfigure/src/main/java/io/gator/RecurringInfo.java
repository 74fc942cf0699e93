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
 * @param next the next tick, which may lie up to five minutes in the past; {@code null}
 * if it is overdue for longer, because no process that has the job is up, or has it
 * switched on
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
	 * @return the time, up to five minutes in the past; empty if it is overdue for
	 * longer, because no process that has the job is up, or has it switched on
	 */
	public Optional<Instant> nextTick() {
		return Optional.ofNullable(this.next);
	}

}
