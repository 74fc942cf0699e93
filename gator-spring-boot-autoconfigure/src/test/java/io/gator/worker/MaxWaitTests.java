package io.gator.worker;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class MaxWaitTests {

	private static final long WAIT = Duration.ofSeconds(32).toNanos();

	private static final long APART = Duration.ofSeconds(2).toNanos();

	/** Monotonic time may run over. */
	private static final long START = Long.MAX_VALUE - WAIT / 2;

	private final MaxWait wait = new MaxWait(Duration.ofSeconds(32));

	@Test
	void nobodyLooksWhereNobodySpoke() {
		assertThat(this.wait.untilLook(START)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void itemsAreLookedForWhenTheyHaveWaited() {
		this.wait.woken(START);
		this.wait.looked(START + 1);
		assertThat(this.wait.untilLook(START + 1)).isEqualTo(WAIT - 1);
		assertThat(this.wait.untilLook(START + 2 * WAIT)).isZero();
	}

	@Test
	void itemsThatComeLaterDoNotPutOffTheLookForTheOldest() {
		this.wait.woken(START);
		this.wait.woken(START + 200);
		assertThat(this.wait.untilLook(START)).isEqualTo(WAIT);
	}

	@Test
	void itemsThatComeLaterHaveALookForAllWhoComeWithinAWhile() {
		this.wait.woken(START);
		this.wait.woken(START + 1);
		this.wait.woken(START + APART);
		this.wait.looked(START + WAIT);
		assertThat(this.wait.untilLook(START + WAIT)).isEqualTo(APART + 1);
		this.wait.looked(START + WAIT + APART + 1);
		assertThat(this.wait.untilLook(START + WAIT)).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void anItemIsLookedForWhenItHasWaitedWhateverWasSaidAfterwards() {
		this.wait.woken(START);
		long afterwards = START + 1;
		this.wait.woken(afterwards);
		this.wait.woken(START + WAIT - 1);
		this.wait.looked(START + WAIT);
		assertThat(this.wait.untilLook(afterwards + WAIT)).isBetween(0L, APART);
	}

	@Test
	void aLookThatBeganTooEarlyLeavesThePlan() {
		this.wait.woken(START);
		this.wait.looked(START + WAIT - 1);
		assertThat(this.wait.untilLook(START + WAIT)).isZero();
	}

	@Test
	void noMoreLooksArePlannedThanAreOfUse() {
		for (long time = 0; time < WAIT; time += APART / 1_000) {
			this.wait.woken(START + time);
		}
		int looks = 0;
		for (long time = START; this.wait.untilLook(time) != Long.MAX_VALUE; looks++) {
			time += this.wait.untilLook(time);
			this.wait.looked(time);
		}
		assertThat(looks).isBetween(16, 18);
	}

	@Test
	void aWaitOfCenturiesIsNoError() {
		MaxWait centuries = new MaxWait(Duration.ofDays(365_000));
		centuries.woken(0);
		assertThat(centuries.untilLook(0)).isPositive();
	}

}
