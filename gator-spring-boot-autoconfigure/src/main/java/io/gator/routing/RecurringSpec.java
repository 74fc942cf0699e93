package io.gator.routing;

import java.time.Duration;
import java.time.ZoneId;

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

}
