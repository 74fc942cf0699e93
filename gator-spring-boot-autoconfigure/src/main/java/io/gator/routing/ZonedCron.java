package io.gator.routing;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.support.CronExpression;

/**
 * The ticks of a cron expression in a time zone. The expression is asked for times of day
 * only, never with a zone: with one it leaves out days, or goes back, where clocks change
 * at midnight or by something else than an hour. Between two changes of the clocks a time
 * of day is one moment, so this goes from one such stretch to the next.
 *
 * @param cron the expression
 * @param rules when clocks change
 */
record ZonedCron(CronExpression cron, ZoneRules rules) {

	private static final Duration HOUR = Duration.ofHours(1);

	/**
	 * The first tick behind a time.
	 * @param time the time
	 * @return the tick, or {@code null} if there is none
	 */
	@Nullable Instant next(Instant time) {
		ZoneOffsetTransition begin = this.rules.previousTransition(time.plusNanos(1));
		ZoneOffsetTransition end = this.rules.nextTransition(time);
		Instant tick = next(time, begin, this.rules.getOffset(time));
		while (tick != null && end != null && !tick.isBefore(end.getInstant())) {
			begin = end;
			end = this.rules.nextTransition(begin.getInstant());
			tick = next(begin.getInstant().minusNanos(1), begin, begin.getOffsetAfter());
		}
		return tick;
	}

	/** The first tick behind a time as if clocks did not change any more. */
	private @Nullable Instant next(Instant time, @Nullable ZoneOffsetTransition begin, ZoneOffset offset) {
		LocalDateTime from = LocalDateTime.ofInstant(time, offset);
		if (begin != null && begin.isOverlap() && from.isBefore(begin.getDateTimeBefore()) && !isOften(begin)) {
			from = justBefore(begin.getDateTimeBefore());
		}
		LocalDateTime next = this.cron.next(from);
		LocalDateTime postponed = (begin != null && begin.isGap()) ? postponed(begin) : null;
		if (postponed != null && postponed.isAfter(from) && (next == null || postponed.isBefore(next))) {
			next = postponed;
		}
		return (next != null) ? next.toInstant(offset) : null;
	}

	/**
	 * When clocks are put forward some times of day do not happen. What runs at one of
	 * them runs later, by as much as clocks are put forward, unless it runs before that
	 * anyway.
	 */
	private @Nullable LocalDateTime postponed(ZoneOffsetTransition gap) {
		LocalDateTime leftOut = this.cron.next(justBefore(gap.getDateTimeBefore()));
		if (leftOut == null || !leftOut.isBefore(gap.getDateTimeAfter())) {
			return null;
		}
		LocalDateTime postponed = leftOut.plus(gap.getDuration());
		return ticks(gap.getDateTimeAfter(), postponed) ? null : postponed;
	}

	/**
	 * When clocks are put back some times of day happen twice. What runs at one of them
	 * must not run twice for that, and what runs every hour or more often must not pause.
	 * The latter is what would also run in the hour before and in the one that follows.
	 */
	private boolean isOften(ZoneOffsetTransition overlap) {
		LocalDateTime begin = overlap.getDateTimeAfter();
		LocalDateTime end = overlap.getDateTimeBefore();
		Duration length = overlap.getDuration().abs();
		Duration beside = (length.compareTo(HOUR) > 0) ? length : HOUR;
		return ticks(begin.minus(beside), begin) && ticks(end, end.plus(beside));
	}

	private boolean ticks(LocalDateTime from, LocalDateTime to) {
		LocalDateTime next = this.cron.next(justBefore(from));
		return next != null && next.isBefore(to);
	}

	/** What is asked for is behind the time that is given. */
	private static LocalDateTime justBefore(LocalDateTime time) {
		return time.minusNanos(1);
	}

}
