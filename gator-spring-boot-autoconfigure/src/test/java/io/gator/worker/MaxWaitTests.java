package io.gator.worker;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MaxWaitTests {

	private static final long WAIT = Duration.ofMillis(300).toNanos();

	/** Monotonic time may be negative, and may run over. */
	private static final long START = Long.MAX_VALUE - WAIT / 2;

	private final MaxWait wait = new MaxWait(Duration.ofMillis(300));

	@Test
	void itemsThatWereTooFewAreLookedForAgainWhenTheyHaveWaited() {
		this.wait.heard(START);
		this.wait.looked(START + 10);
		assertThat(this.wait.untilLook(START + 10)).isEqualTo(WAIT - 10);
		assertThat(this.wait.untilLook(START + 2 * WAIT)).isZero();
	}

	@Test
	void itemsThatComeLaterDoNotPutOffTheLookForTheOldest() {
		this.wait.heard(START);
		this.wait.looked(START);
		this.wait.heard(START + 200);
		this.wait.looked(START + 200);
		assertThat(this.wait.untilLook(START + 200)).isEqualTo(WAIT - 200);
	}

	@Test
	void itemsThatComeLaterHaveALookOfTheirOwnAfterwards() {
		this.wait.heard(START);
		this.wait.looked(START);
		this.wait.heard(START + 200);
		this.wait.looked(START + WAIT);
		assertThat(this.wait.untilLook(START + WAIT)).isEqualTo(200);
	}

	@Test
	void nobodyLooksWhereNobodySpoke() {
		this.wait.looked(START);
		assertThat(this.wait.untilLook(START)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void oneLookIsEnoughForWhatWasHeard() {
		this.wait.heard(START);
		this.wait.looked(START);
		this.wait.looked(START + WAIT);
		assertThat(this.wait.untilLook(START + WAIT)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void whatIsForgottenIsNotLookedFor() {
		this.wait.heard(START);
		this.wait.looked(START);
		this.wait.forget();
		assertThat(this.wait.untilLook(START)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void aWaitOfCenturiesIsNoError() {
		MaxWait centuries = new MaxWait(Duration.ofDays(365_000));
		centuries.heard(0);
		centuries.looked(0);
		assertThat(centuries.untilLook(0)).isPositive();
	}

}
