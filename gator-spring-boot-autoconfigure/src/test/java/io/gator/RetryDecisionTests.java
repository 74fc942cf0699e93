package io.gator;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RetryDecisionTests {

	@Test
	void aQueueChangesNothingElseOfADecision() {
		RetryDecision exponential = RetryDecision.exponential().onQueue("low");
		assertThat(exponential.interval(2)).isEqualTo(Duration.ofSeconds(62));
		assertThat(exponential.interval(-200)).as("of a job that somebody has given more attempts")
			.isEqualTo(Duration.ofSeconds(30));
		assertThat(exponential.isStop()).isFalse();
		assertThat(exponential.queue()).isEqualTo("low");
		RetryDecision after = RetryDecision.after(Duration.ofMinutes(5)).onQueue("low");
		assertThat(after.interval(2)).isEqualTo(Duration.ofMinutes(5));
		assertThat(after.isStop()).isFalse();
		RetryDecision stop = RetryDecision.stop().onQueue("low");
		assertThat(stop.isStop()).isTrue();
		assertThat(RetryDecision.stop().queue()).isNull();
	}

	@Test
	void decisionsThatDecideTheSameAreEqual() {
		assertThat(RetryDecision.after(Duration.ofSeconds(60)).onQueue("low"))
			.isEqualTo(RetryDecision.after(Duration.ofMinutes(1)).onQueue("low"))
			.hasSameHashCodeAs(RetryDecision.after(Duration.ofMinutes(1)).onQueue("low"))
			.isNotEqualTo(RetryDecision.after(Duration.ofMinutes(1)))
			.isNotEqualTo(RetryDecision.after(Duration.ofMinutes(2)).onQueue("low"));
		assertThat(RetryDecision.stop()).isNotEqualTo(RetryDecision.after(Duration.ZERO));
		assertThat(RetryDecision.exponential()).isNotEqualTo(RetryDecision.after(Duration.ZERO));
	}

	@Test
	void howeverManyRetriesThereWereTheNextOneIsInTheFuture() {
		RetryDecision exponential = RetryDecision.exponential();
		Duration last = Duration.ofSeconds(30 + 198L * 198 * 198 * 198 * 198);
		assertThat(exponential.interval(198)).isEqualTo(last);
		assertThat(exponential.interval(199)).isEqualTo(last);
		assertThat(exponential.interval(Integer.MAX_VALUE)).isEqualTo(last);
	}

	@Test
	void aRetryThatIsDueInThePastIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> RetryDecision.after(Duration.ofNanos(-1)))
			.withMessageContaining("PT-0.000000001S");
		assertThatIllegalArgumentException().isThrownBy(() -> new JobSnoozedException(Duration.ofNanos(-1)))
			.withMessageContaining("PT-0.000000001S");
		assertThat(RetryDecision.after(Duration.ZERO).interval(3)).isZero();
		assertThat(new JobSnoozedException(Duration.ZERO).delay()).isZero();
		assertThat(new JobSnoozedException(Duration.ofSeconds(1)).delay()).isEqualTo(Duration.ofSeconds(1));
	}

}
