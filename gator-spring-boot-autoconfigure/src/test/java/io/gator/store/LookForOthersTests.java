package io.gator.store;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class LookForOthersTests {

	private final LookForOthers others = new LookForOthers();

	@Test
	void theFirstBeatLooks() {
		assertThat(this.others.isDue()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, 7 })
	void withFewPoolsEachBeatLooks(long pools) {
		for (int beat = 0; beat < 100; beat++) {
			assertThat(this.others.isDue()).isTrue();
			this.others.counted(pools, LookForOthers.QUICK_NANOS + 1);
		}
	}

	@Test
	void whileLooksAreSlowSomeFourOfManyPoolsLookInTheTimeBetweenTwoBeats() {
		int looks = 0;
		for (int beat = 0; beat < 100_000; beat++) {
			if (this.others.isDue()) {
				looks++;
				this.others.counted(100, LookForOthers.QUICK_NANOS + 1);
			}
		}
		assertThat(looks * 100 / 100_000.0).isCloseTo(4, within(0.4));
	}

	@Test
	void whileLooksAreQuickNoMoreThanOneBeatPassesWithoutOneHoweverManyPoolsThereAre() {
		int looks = 0;
		boolean looked = true;
		for (int beat = 0; beat < 10_000; beat++) {
			boolean before = looked;
			looked = this.others.isDue();
			assertThat(before || looked).isTrue();
			if (looked) {
				looks++;
				this.others.counted(1_000, LookForOthers.QUICK_NANOS);
			}
		}
		assertThat(looks).as("not all beats").isLessThan(9_000);
	}

	@Test
	void aBeatWhoseLookFailsIsFollowedByOneThatLooks() {
		assertThat(this.others.isDue()).isTrue();
		assertThat(this.others.isDue()).isTrue();
	}

}
