package io.gator;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

class JobQueryTests {

	@Test
	void whatWasAskedForHoldsWhateverIsAskedForAfterIt() {
		JobQuery whole = new JobQuery(JobState.DEAD, "mail", "Send", 7, 5);
		JobQuery query = JobQuery.of(JobState.DEAD);
		assertThat(query.queue("mail").name("Send").after(7).limit(5)).isEqualTo(whole);
		assertThat(query.limit(5).after(7).name("Send").queue("mail")).isEqualTo(whole);
	}

	@Test
	void aPageHasOneToAThousandJobs() {
		JobQuery query = JobQuery.of(JobState.DEAD);
		assertThat(query.limit(1).limit()).isOne();
		assertThat(query.limit(1_000).limit()).isEqualTo(1_000);
		for (int limit : new int[] { -1, 0, 1_001 }) {
			assertThatIllegalArgumentException().isThrownBy(() -> query.limit(limit)).withMessageContaining("" + limit);
		}
	}

	@Test
	void aQueryNeedsAState() {
		assertThatNullPointerException().isThrownBy(() -> JobQuery.of(null)).withMessage("state");
	}

}
