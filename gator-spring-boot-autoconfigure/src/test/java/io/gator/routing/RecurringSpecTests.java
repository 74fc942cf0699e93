package io.gator.routing;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.gator.Recurring;
import org.junit.jupiter.api.Test;

import org.springframework.scheduling.support.CronExpression;

import static org.assertj.core.api.Assertions.assertThat;

class RecurringSpecTests {

	@Test
	void whatRunsSeveralTimesInTheHourThatHappensTwiceRunsInItOnce() {
		for (String cron : List.of("0 0,30 2 * * *", "0 */30 2 * * *")) {
			assertThat(ticks(cron, "Europe/Paris", "2026-10-24T12:00", 4)).containsExactly("2026-10-25T02:00+02:00",
					"2026-10-25T02:30+02:00", "2026-10-26T02:00+01:00", "2026-10-26T02:30+01:00");
		}
	}

	@Test
	void whatRunsAtTimesOfDayInNeighbouringHoursRunsAtEachOnce() {
		assertThat(ticks("0 0 2,3 * * *", "Europe/Paris", "2026-10-24T12:00", 3))
			.containsExactly("2026-10-25T02:00+02:00", "2026-10-25T03:00+01:00", "2026-10-26T02:00+01:00");
		assertThat(ticks("0 0 1,2 * * *", "Europe/Paris", "2026-10-24T12:00", 3))
			.containsExactly("2026-10-25T01:00+02:00", "2026-10-25T02:00+02:00", "2026-10-26T01:00+01:00");
		assertThat(ticks("0 0 */2 * * *", "Europe/Paris", "2026-10-24T23:30", 3))
			.containsExactly("2026-10-25T00:00+02:00", "2026-10-25T02:00+02:00", "2026-10-25T04:00+01:00");
	}

	@Test
	void ticksKeepTheirTimeOfDayOverBothDaylightSavingChanges() {
		// In the night to 29 March 2026 there is no 2:30; in that to 25 October there are
		// two.
		assertThat(ticks("0 30 2 * * *", "Europe/Paris", "2026-03-27T12:00", 4)).containsExactly(
				"2026-03-28T02:30+01:00", "2026-03-29T03:30+02:00", "2026-03-30T02:30+02:00", "2026-03-31T02:30+02:00");
		assertThat(ticks("0 30 2 * * *", "Europe/Paris", "2026-10-23T12:00", 4)).containsExactly(
				"2026-10-24T02:30+02:00", "2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00", "2026-10-27T02:30+01:00");
	}

	@Test
	void whatRunsAtMidnightRunsAlsoInTheNightThatHasNone() {
		assertThat(ticks("0 0 0 * * *", "Africa/Cairo", "2026-04-22T12:00", 3))
			.containsExactly("2026-04-23T00:00+02:00", "2026-04-24T01:00+03:00", "2026-04-25T00:00+03:00");
	}

	@Test
	void whatRunsSeveralTimesInTheHourThatIsLeftOutRunsOnce() {
		assertThat(ticks("0 0,30 2 * * *", "Europe/Paris", "2026-03-28T12:00", 3))
			.containsExactly("2026-03-29T03:00+02:00", "2026-03-30T02:00+02:00", "2026-03-30T02:30+02:00");
	}

	@Test
	void whatRunsEveryHourOrMoreOftenNeitherPausesNorRunsMoreOftenWhenClocksChange() {
		Map<String, Duration> crons = Map.of("0 0 * * * *", Duration.ofHours(1), "0 30 * * * *", Duration.ofHours(1),
				"0 */15 * * * *", Duration.ofMinutes(15), "0 */10 * * * *", Duration.ofMinutes(10));
		crons.forEach((cron, beat) -> {
			for (String from : List.of("2026-03-29T00:00", "2026-10-25T00:00")) {
				List<OffsetDateTime> ticks = ticks(cron, "Europe/Paris", from, 30).stream()
					.map(OffsetDateTime::parse)
					.toList();
				for (int i = 1; i < ticks.size(); i++) {
					assertThat(Duration.between(ticks.get(i - 1), ticks.get(i))).as(cron + " " + ticks.get(i))
						.isEqualTo(beat);
				}
			}
		});
	}

	@Test
	void aTickComesAfterTheLastOneAndAfterNow() {
		RecurringSpec hourly = cron("0 0 * * * *", "UTC");
		Instant noon = Instant.parse("2026-01-01T12:00:00Z");
		Instant later = noon.plus(Duration.ofHours(5));
		assertThat(hourly.next(noon, later)).isEqualTo(later.plus(Duration.ofHours(1)));
		assertThat(hourly.next(later, noon)).isEqualTo(later.plus(Duration.ofHours(1)));
	}

	@Test
	void anIntervalKeepsItsBeatHoweverLateATickWasMade() {
		RecurringSpec every = new RecurringSpec(null, Duration.ofMinutes(5), ZoneId.of("UTC"), Recurring.Misfire.ONCE,
				false);
		Instant noon = Instant.parse("2026-01-01T12:00:00Z");
		assertThat(every.next(noon, noon.plusSeconds(2))).isEqualTo(noon.plusSeconds(300));
		assertThat(every.next(noon, noon.plusSeconds(1_000))).isEqualTo(noon.plusSeconds(1_200));
	}

	private static RecurringSpec cron(String cron, String zone) {
		return new RecurringSpec(CronExpression.parse(cron), null, ZoneId.of(zone), Recurring.Misfire.ONCE, false);
	}

	static List<String> ticks(String cron, String zone, String from, int count) {
		RecurringSpec spec = cron(cron, zone);
		List<String> ticks = new ArrayList<>();
		Instant last = LocalDateTime.parse(from).atZone(spec.zone()).toInstant();
		for (int i = 0; i < count; i++) {
			last = spec.next(last, last);
			ticks.add(last.atZone(spec.zone()).toOffsetDateTime().toString());
		}
		return ticks;
	}

}
