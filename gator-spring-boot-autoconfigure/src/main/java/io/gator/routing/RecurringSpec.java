package io.gator.routing;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;

import io.gator.Recurring;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;

/**
 * When a {@link Recurring} job ticks: by {@code cron} or by {@code every}, one of which
 * is set.
 *
 * @param cron the cron expression, or {@code null}
 * @param every the fixed interval, or {@code null}
 * @param zone the time zone of the cron expression
 * @param misfire what becomes of missed ticks
 * @param overlap whether a tick is dispatched while the job of the last one still lives
 */
public record RecurringSpec(@Nullable CronExpression cron, @Nullable Duration every, ZoneId zone,
		Recurring.Misfire misfire, boolean overlap) {

	/**
	 * The schedule as it was written.
	 * @return the cron expression or the interval in ISO-8601
	 */
	public String schedule() {
		return (this.cron != null) ? this.cron.toString() : String.valueOf(this.every);
	}

	/**
	 * The schedule as it is kept in the database, to tell one version from another.
	 * @return the schedule, with the time zone of a cron expression
	 */
	public String text() {
		return (this.cron != null) ? schedule() + " " + this.zone : schedule();
	}

	/**
	 * The first tick after both the last one and now. Ticks at an interval stay whole
	 * intervals apart, however late one of them was dispatched.
	 * @param last the time of the last tick
	 * @param now the time
	 * @return the time of the next one
	 */
	public Instant next(Instant last, Instant now) {
		if (this.cron != null) {
			Instant from = last.isAfter(now) ? last : now;
			Instant next = new ZonedCron(this.cron, this.zone.getRules()).next(from);
			return Objects.requireNonNull(next, "a time that comes, as start-up has checked");
		}
		Duration interval = Objects.requireNonNull(this.every, "an interval where there is no cron expression");
		long intervals = Math.max(0, Duration.between(last, now).dividedBy(interval)) + 1;
		return last.plus(interval.multipliedBy(intervals));
	}

}
