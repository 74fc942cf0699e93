package io.gator;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JobStateTests {

	@Test
	void aJobThatSucceededDiedOrWasCancelledIsOver() {
		assertThat(JobState.values()).filteredOn(JobState::isTerminal)
			.containsExactlyInAnyOrder(JobState.SUCCEEDED, JobState.DEAD, JobState.CANCELLED);
	}

}
