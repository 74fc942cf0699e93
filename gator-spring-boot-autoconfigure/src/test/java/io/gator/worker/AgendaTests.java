package io.gator.worker;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a pool has a reason to claim.
 */
class AgendaTests {

	private final long now = System.nanoTime();

	@Test
	void theFirstClaimComesAtOnce() {
		assertThat(agenda(Duration.ofSeconds(30)).until(this.now)).isZero();
	}

	@Test
	void withoutAWordTheNextClaimIsTheNextPoll() {
		assertIsAbout(Duration.ofSeconds(30), poll(Duration.ofSeconds(30), false));
	}

	@Test
	void whatAWordWasAboutIsFoundByTheNextSweepHoweverRarePollsAre() {
		assertThat(poll(Duration.ofSeconds(30), true)).isBetween(Marks.LAG_NANOS, 2 * Marks.LAG_NANOS);
		assertIsAbout(Duration.ofMillis(100), poll(Duration.ofMillis(100), true));
	}

	@Test
	void twoStatementsWithEachPollAreNotMoreThanOneASecond() {
		assertThat(agenda(Duration.ofSeconds(1)).arePollsRare()).isFalse();
		assertThat(agenda(Duration.ofSeconds(2)).arePollsRare()).isTrue();
	}

	private long poll(Duration interval, boolean woken) {
		Agenda agenda = agenda(interval);
		assertThat(agenda.takeWord(this.now)).isTrue();
		agenda.polled(this.now, woken);
		return agenda.until(this.now);
	}

	private static void assertIsAbout(Duration expected, long nanos) {
		assertThat(nanos).isBetween(expected.toNanos() / 100 * 98, expected.toNanos());
	}

	private static Agenda agenda(Duration interval) {
		return new Agenda(interval.toNanos());
	}

}
