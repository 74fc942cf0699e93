package io.gator.worker;

import java.time.Duration;
import java.util.OptionalDouble;

import io.gator.store.JobStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a pool is to claim, at explicit times.
 */
class AgendaTests {

	/** Monotonic time may begin anywhere. */
	private static final long START = -5_000_000_000L;

	private static final long MILLISECOND = Duration.ofMillis(1).toNanos();

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final long DAY = Duration.ofDays(1).toNanos();

	private final Agenda agenda = agenda(SECOND);

	/** It has polled, and nobody has woken it since. */
	private static Agenda agenda(long pollNanos) {
		Agenda agenda = new Agenda(pollNanos, START);
		agenda.takeReason(START);
		agenda.polled(START);
		return agenda;
	}

	private static JobStore.NextDue due(double seconds) {
		return new JobStore.NextDue(7, OptionalDouble.of(seconds));
	}

	@Test
	void aPoolThatStartsHasAReasonAndAPollThatIsDue() {
		Agenda fresh = new Agenda(SECOND, START);
		assertThat(fresh.isPollDue(START)).isTrue();
		assertThat(fresh.takeReason(START)).isTrue();
	}

	@Test
	void aPollIsPlannedOnceInTheIntervalNeverLaterAndHardlyEarlier() {
		for (int poll = 0; poll < 100; poll++) {
			this.agenda.polled(START);
			assertThat(this.agenda.until(START)).isBetween(SECOND - 10 * MILLISECOND, SECOND);
		}
		assertThat(this.agenda.isPollDue(START + SECOND - 11 * MILLISECOND)).isFalse();
		assertThat(this.agenda.isPollDue(START + SECOND)).isTrue();
		assertThat(this.agenda.until(START + SECOND)).isZero();
	}

	@Test
	void whoeverWakesThePoolIsAReasonForOneClaim() {
		assertThat(this.agenda.hasReason(START)).isFalse();
		this.agenda.wake();
		assertThat(this.agenda.until(START)).isZero();
		assertThat(this.agenda.hasReason(START)).isTrue();
		assertThat(this.agenda.takeReason(START)).isTrue();
		assertThat(this.agenda.takeReason(START)).isFalse();
	}

	@Test
	void aDelayedJobIsAReasonAMillisecondAfterItIsDueAndNotBefore() {
		this.agenda.nextDue(due(0.5), START);
		long time = START + 501 * MILLISECOND;
		assertThat(this.agenda.until(START)).isEqualTo(501 * MILLISECOND);
		assertThat(this.agenda.hasReason(time - 1)).isFalse();
		assertThat(this.agenda.hasReason(time)).isTrue();
		assertThat(this.agenda.takeReason(time)).isTrue();
		assertThat(this.agenda.until(time)).isZero();
		assertThat(this.agenda.askedAt()).isEqualTo(7);
	}

	@Test
	void whereNoJobIsDelayedOnlyThePollIsWaitedFor() {
		this.agenda.nextDue(due(0.5), START);
		this.agenda.nextDue(new JobStore.NextDue(8, OptionalDouble.empty()), START);
		assertThat(this.agenda.hasReason(START + SECOND)).isFalse();
		assertThat(this.agenda.until(START)).isGreaterThan(SECOND / 2 + MILLISECOND);
	}

	@Test
	void thePoolLooksADayAheadAtMost() {
		Agenda patient = agenda(3 * DAY);
		patient.nextDue(due(1e12), START);
		assertThat(patient.until(START)).isEqualTo(DAY + MILLISECOND);
	}

	@Test
	void aPollIsPutForwardAndNotOff() {
		this.agenda.pollBy(START + 2 * SECOND);
		assertThat(this.agenda.until(START)).isLessThanOrEqualTo(SECOND);
		this.agenda.pollBy(START + SECOND / 2);
		assertThat(this.agenda.until(START)).isEqualTo(SECOND / 2);
	}

	@Test
	void pollsAreRareFromTwoSecondsOn() {
		assertThat(agenda(2 * SECOND).arePollsRare()).isTrue();
		assertThat(agenda(2 * SECOND - 1).arePollsRare()).isFalse();
	}

}
