package io.gator.routing;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.scheduling.support.CronExpression;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where clocks change by half an hour, between hours or at midnight. Where they change by
 * an hour at night is in {@link RecurringSpecTests}.
 */
class ZonedCronTests {

	private static final Instant NEW_YEAR = Instant.parse("2026-01-01T00:00:00Z");

	private static final Instant YEAR_END = Instant.parse("2027-01-01T00:00:00Z");

	@Test
	void whatRunsEveryHourGoesOnWhereClocksChangeByHalfAnHour() {
		assertThat(RecurringSpecTests.ticks("0 0 * * * *", "Australia/Lord_Howe", "2026-04-05T00:30", 4))
			.containsExactly("2026-04-05T01:00+11:00", "2026-04-05T02:00+10:30", "2026-04-05T03:00+10:30",
					"2026-04-05T04:00+10:30");
		assertThat(RecurringSpecTests.ticks("0 45 * * * *", "Australia/Lord_Howe", "2026-04-05T01:00", 3))
			.containsExactly("2026-04-05T01:45+11:00", "2026-04-05T01:45+10:30", "2026-04-05T02:45+10:30");
		assertThat(RecurringSpecTests.ticks("0 0 * * * *", "Australia/Lord_Howe", "2026-10-04T00:30", 4))
			.containsExactly("2026-10-04T01:00+10:30", "2026-10-04T02:30+11:00", "2026-10-04T03:00+11:00",
					"2026-10-04T04:00+11:00");
	}

	@Test
	void whatRunsAtMidnightRunsOnceInTheNightThatHasTwo() {
		assertThat(RecurringSpecTests.ticks("0 0 0 * * *", "America/Havana", "2026-10-31T08:00", 3))
			.containsExactly("2026-11-01T00:00-04:00", "2026-11-02T00:00-05:00", "2026-11-03T00:00-05:00");
		assertThat(RecurringSpecTests.ticks("0 0 0 * * *", "Atlantic/Azores", "2026-10-24T12:00", 3))
			.containsExactly("2026-10-25T00:00Z", "2026-10-26T00:00-01:00", "2026-10-27T00:00-01:00");
	}

	@Test
	void whatRunsInAnHourThatIsLeftOutBeforeMidnightRunsAnHourLater() {
		assertThat(RecurringSpecTests.ticks("0 30 23 * * *", "America/Nuuk", "2026-03-27T10:00", 3))
			.containsExactly("2026-03-27T23:30-02:00", "2026-03-29T00:30-01:00", "2026-03-29T23:30-01:00");
	}

	@ParameterizedTest
	@ValueSource(strings = { "0 */5 * * * *", "*/30 * * * * *", "0 */15 * * * *" })
	void whatRunsSeveralTimesAnHourKeepsItsBeatWhereAllChangesAreMultiplesOfIt(String cron) {
		for (String zone : List.of("Pacific/Chatham", "Australia/Lord_Howe", "America/Nuuk", "Antarctica/Troll")) {
			for (Instant change : changes(ZoneId.of(zone).getRules())) {
				ZonedCron ticks = new ZonedCron(CronExpression.parse(cron), ZoneId.of(zone).getRules());
				Instant first = ticks.next(change.minus(Duration.ofHours(4)));
				Instant second = ticks.next(first);
				Duration beat = Duration.between(first, second);
				for (Instant last = second; last.isBefore(change.plus(Duration.ofHours(4)));) {
					Instant next = ticks.next(last);
					assertThat(Duration.between(last, next)).as("%s %s after %s", cron, zone, last).isEqualTo(beat);
					last = next;
				}
			}
		}
	}

	@Test
	void whatRunsDailyRunsOnEachDateOfEachZoneAtItsTimeOrAsMuchLaterAsClocksArePutForward() {
		for (String id : new TreeSet<>(ZoneId.getAvailableZoneIds())) {
			ZoneId zone = ZoneId.of(id);
			for (Instant change : changes(zone.getRules())) {
				ZoneOffsetTransition transition = zone.getRules().nextTransition(change.minusNanos(1));
				for (LocalTime time : timesBeside(transition)) {
					ZonedCron ticks = new ZonedCron(
							CronExpression.parse("0 %d %d * * *".formatted(time.getMinute(), time.getHour())),
							zone.getRules());
					LocalDate date = change.minus(Duration.ofDays(2)).atZone(zone).toLocalDate();
					Instant last = date.atTime(time).atZone(zone).toInstant();
					for (int day = 1; day <= 4; day++) {
						Instant next = ticks.next(last);
						assertThat(next).as("%s at %s, behind %s", id, time, last)
							.isEqualTo(ZonedDateTime.of(date.plusDays(day), time, zone).toInstant());
						last = next;
					}
				}
			}
		}
	}

	@Test
	void anExpressionThatNeverTicksHasNoNextOne() {
		assertThat(new ZonedCron(CronExpression.parse("0 0 0 30 2 *"), ZoneId.of("Europe/Paris").getRules())
			.next(NEW_YEAR)).isNull();
	}

	private static List<Instant> changes(ZoneRules rules) {
		List<Instant> changes = new ArrayList<>();
		for (ZoneOffsetTransition change = rules.nextTransition(NEW_YEAR); change != null
				&& change.getInstant().isBefore(YEAR_END); change = rules.nextTransition(change.getInstant())) {
			changes.add(change.getInstant());
		}
		return changes;
	}

	private static List<LocalTime> timesBeside(ZoneOffsetTransition change) {
		return IntStream.rangeClosed(-3, 6)
			.mapToObj((quarter) -> (change.isGap() ? change.getDateTimeBefore() : change.getDateTimeAfter())
				.plusMinutes(20L * quarter)
				.toLocalTime())
			.toList();
	}

}
