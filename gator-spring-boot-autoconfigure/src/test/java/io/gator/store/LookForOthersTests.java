package io.gator.store;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class LookForOthersTests {

	private static final long SLOW = TimeUnit.SECONDS.toNanos(1) / 100 + 1;

	private final LookForOthers others = new LookForOthers();

	@Test
	void theFirstBeatLooksForOtherPools() {
		assertThat(this.others.isDue()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(longs = { 0, 1, 7 })
	void eachBeatLooksForOtherPoolsWhereThereAreFew(long pools) {
		for (int beat = 0; beat < 100; beat++) {
			assertThat(this.others.isDue()).isTrue();
			this.others.counted(pools, SLOW);
		}
	}

	@Test
	void whileLooksAreSlowSomeFourOfManyPoolsLookInTheTimeBetweenTwoBeats() {
		int looks = 0;
		for (int beat = 0; beat < 100_000; beat++) {
			if (this.others.isDue()) {
				looks++;
				this.others.counted(100, SLOW);
			}
		}
		assertThat(looks * 100 / 100_000.0).isCloseTo(4, within(0.4));
	}

	@ParameterizedTest
	@ValueSource(longs = { 20, 100, 1_000 })
	void whileLooksAreQuickNoMoreThanOneBeatPassesWithoutOneHoweverManyPoolsThereAre(long pools) {
		int looks = 0;
		boolean looked = true;
		for (int beat = 0; beat < 10_000; beat++) {
			boolean before = looked;
			looked = this.others.isDue();
			assertThat(before || looked).isTrue();
			if (looked) {
				looks++;
				this.others.counted(pools, TimeUnit.SECONDS.toNanos(1) / Math.max(100, pools));
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
