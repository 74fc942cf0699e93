package io.gator.routing;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;

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
	 * The first tick after both the last one and now. Ticks at an interval keep their
	 * beat, however late one of them was made.
	 * @param last the time of the last tick
	 * @param now the time
	 * @return the time of the next one, or {@code null} if there is none
	 */
	public @Nullable Instant next(Instant last, Instant now) {
		if (this.cron != null) {
			Instant from = last.isAfter(now) ? last : now;
			ZonedDateTime next = next(this.cron, from.atZone(this.zone));
			return (next != null) ? next.toInstant() : null;
		}
		if (this.every == null) {
			return null;
		}
		long beats = Math.max(0, Duration.between(last, now).dividedBy(this.every)) + 1;
		return last.plus(this.every.multipliedBy(beats));
	}

	private static @Nullable ZonedDateTime next(CronExpression cron, ZonedDateTime from) {
		ZonedDateTime next = cron.next(from);
		while (next != null && isRepetition(cron, next)) {
			next = cron.next(next);
		}
		ZonedDateTime postponed = postponed(cron, from);
		return (postponed != null && (next == null || postponed.isBefore(next))) ? postponed : next;
	}

	/**
	 * When clocks are put forward an hour does not happen, and the expression goes on to
	 * the next day. What runs at a time of day in that hour runs an hour later.
	 */
	private static @Nullable ZonedDateTime postponed(CronExpression cron, ZonedDateTime from) {
		LocalDateTime local = cron.next(from.toLocalDateTime());
		if (local == null) {
			return null;
		}
		ZoneOffsetTransition change = from.getZone().getRules().getTransition(local);
		return (change != null && change.isGap()) ? local.atZone(from.getZone()) : null;
	}

	/**
	 * When clocks are put back an hour happens twice. What runs at a time of day must not
	 * run twice for that, and what runs every hour or more often must not pause. The
	 * latter is what would also run in the hour before and in the one that follows.
	 */
	private static boolean isRepetition(CronExpression cron, ZonedDateTime tick) {
		LocalDateTime local = tick.toLocalDateTime();
		ZoneOffsetTransition change = tick.getZone().getRules().getTransition(local);
		if (change == null || !change.isOverlap() || !tick.getOffset().equals(change.getOffsetAfter())) {
			return false;
		}
		LocalDateTime begin = change.getDateTimeAfter();
		LocalDateTime end = change.getDateTimeBefore();
		Duration length = change.getDuration().abs();
		return !ticks(cron, begin.minus(length), begin) || !ticks(cron, end, end.plus(length));
	}

	private static boolean ticks(CronExpression cron, LocalDateTime from, LocalDateTime to) {
		LocalDateTime next = cron.next(from.minusNanos(1));
		return next != null && next.isBefore(to);
	}

}
