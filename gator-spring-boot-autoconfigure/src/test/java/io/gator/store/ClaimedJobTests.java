package io.gator.store;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClaimedJobTests {

	@Test
	void aJobHasWaitedFromWhenItWasDueUntilItWasClaimed() {
		assertThat(claimed(100, Double.NaN, 107).waited()).isEqualTo(7);
		assertThat(claimed(100, 105, 107).waited()).as("not from its dispatch").isEqualTo(2);
		assertThat(claimed(100, 90, 107).waited()).as("nor from before that").isEqualTo(7);
		assertThat(claimed(100, 108, 107).waited()).as("by a clock that was put back").isZero();
	}

	private static ClaimedJob claimed(double createdAt, double dueAt, double claimedAt) {
		return new ClaimedJob(1, "default", "Work", "[]", 1, 1, createdAt, dueAt, claimedAt, false, false, null);
	}

}
