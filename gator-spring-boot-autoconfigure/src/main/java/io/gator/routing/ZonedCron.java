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
 * The ticks of a cron expression in a time zone. The expression is evaluated for local
 * times only, never with a zone: with a zone it leaves out days, or goes back, where
 * clocks change at midnight or by something else than an hour. Between two clock changes
 * each local time is exactly one moment, so the search goes from one such period to the
 * next.
 *
 * @param cron the expression
 * @param rules when clocks change
 */
record ZonedCron(CronExpression cron, ZoneRules rules) {

	private static final Duration HOUR = Duration.ofHours(1);

	/**
	 * The first tick after a time.
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

	/** The first tick after a time, as if clocks never changed again. */
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
	 * The tick that is postponed because clocks are put forward. Local times in the gap
	 * do not happen; a tick at one of them comes later by the length of the gap, unless
	 * there is a regular tick before that.
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
	 * Whether a job ticks every hour or more often. When clocks are put back, some local
	 * times happen twice: most jobs must not tick twice because of that, but a job that
	 * ticks so often must not pause. Such a job also ticks in the hour before the overlap
	 * and in the hour after it; if the overlap is longer, in as long a time before and
	 * after.
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

	/**
	 * The expression finds only times after the given one: this lets it find the time
	 * itself.
	 */
	private static LocalDateTime justBefore(LocalDateTime time) {
		return time.minusNanos(1);
	}

}
