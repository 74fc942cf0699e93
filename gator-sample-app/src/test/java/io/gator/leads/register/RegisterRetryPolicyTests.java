package io.gator.leads.register;

import java.time.Duration;

import io.gator.RetryDecision;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RegisterRetryPolicyTests {

	private final RegisterRetryPolicy policy = new RegisterRetryPolicy();

	@Test
	void theRegisterSaysWhenToAskAgain() {
		RetryDecision decision = this.policy.decide(new RegisterBusyException(Duration.ofSeconds(7)), 0);
		assertThat(decision.isStop()).isFalse();
		assertThat(decision.interval(0)).isEqualTo(Duration.ofSeconds(7));
	}

	@Test
	void anUnknownCompanyIsNotAskedForAgain() {
		assertThat(this.policy.decide(new UnknownCompanyException(), 0).isStop()).isTrue();
	}

	@Test
	void anythingElseIsTriedAgainLaterAndLater() {
		RetryDecision decision = this.policy.decide(new IllegalStateException(), 2);
		assertThat(decision.interval(2)).isEqualTo(Duration.ofSeconds(62));
	}

}
