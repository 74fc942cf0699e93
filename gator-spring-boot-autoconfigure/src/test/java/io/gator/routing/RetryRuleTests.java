package io.gator.routing;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.Job;
import io.gator.RetryDecision;
import io.gator.RetryPolicy;
import io.gator.RetryWith;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;

class RetryRuleTests {

	private static final Throwable ERROR = new IllegalStateException("the handler's");

	@Test
	void withoutAnnotationTheFirstFailureIsTheLast() {
		RetryRule rule = TestJobs.route(Once.class).retry();
		assertThat(rule.maxRetries()).isZero();
		assertThat(rule.decide(ERROR, 0).delay()).isNull();
	}

	@Test
	void theApplicationsDefaultIsForJobsWithoutAnnotationOnly() {
		assertThat(ruleOf(Once.class, new RetryDefaults(" 2m ", 3)).decide(ERROR, 2))
			.isEqualTo(new RetryOutcome(Duration.ofMinutes(2), null, null));
		assertThat(ruleOf(Once.class, new RetryDefaults("2m", 3)).decide(ERROR, 3).delay()).isNull();
		assertThat(ruleOf(Once.class, new RetryDefaults("", -1)).decide(ERROR, 2).delay())
			.isEqualTo(Duration.ofSeconds(62));
		assertThat(ruleOf(Fixed.class, new RetryDefaults("2m", 3)).maxRetries()).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "0, 30", "1, 31", "2, 62", "3, 273", "4, 1054", "9, 59079" })
	void theExponentialIntervalGrowsByTheFifthPower(int retryCount, long seconds) {
		assertThat(TestJobs.route(Exponential.class).retry().decide(ERROR, retryCount))
			.isEqualTo(new RetryOutcome(Duration.ofSeconds(seconds), null, null));
	}

	@Test
	void theLimitIsTheNumberOfRetries() {
		RetryRule rule = TestJobs.route(Exponential.class).retry();
		assertThat(rule.unlimited()).isFalse();
		assertThat(rule.allows(9)).isTrue();
		assertThat(rule.allows(10)).isFalse();
		assertThat(rule.decide(ERROR, 9).delay()).isNotNull();
		assertThat(rule.decide(ERROR, 10).delay()).isNull();
	}

	@Test
	void anAttemptIsAllowedUpToOneMoreThanTheRetries() {
		RetryRule rule = TestJobs.route(Exponential.class).retry();
		assertThat(rule.allowsAttempt(1)).isTrue();
		assertThat(rule.allowsAttempt(11)).isTrue();
		assertThat(rule.allowsAttempt(12)).isFalse();
		assertThat(TestJobs.route(Once.class).retry().allowsAttempt(1)).isTrue();
		assertThat(TestJobs.route(Once.class).retry().allowsAttempt(2)).isFalse();
		RetryRule most = ruleOf(Once.class, new RetryDefaults("2m", Integer.MAX_VALUE));
		assertThat(most.allowsAttempt(1)).isTrue();
		assertThat(most.allowsAttempt(Integer.MAX_VALUE)).isTrue();
	}

	@Test
	void aFixedIntervalAndARetryQueueAreThoseOfTheAnnotation() {
		assertThat(TestJobs.route(Fixed.class).retry().decide(ERROR, 0))
			.isEqualTo(new RetryOutcome(Duration.ofMinutes(5), "slow", null));
	}

	@Test
	void anAnnotationOfOnesOwnMayBringTheRule() {
		RetryRule rule = TestJobs.route(Mailing.class).retry();
		assertThat(rule.decide(ERROR, 0)).isEqualTo(new RetryOutcome(Duration.ofSeconds(7), null, null));
		assertThat(rule.maxRetries()).isEqualTo(3);
		assertThat(rule.decide(new FileNotFoundException(), 0).delay()).isNull();
	}

	@Test
	void withoutALimitOfRetriesTheDatabaseCanStillHoldTheTimeOfTheNext() {
		RetryRule rule = TestJobs.route(Unlimited.class).retry();
		assertThat(rule.unlimited()).isTrue();
		assertThat(rule.decide(ERROR, Integer.MAX_VALUE).delay()).isLessThanOrEqualTo(RetryRule.MAX_DELAY);
	}

	@Test
	void withoutALimitOfRetriesNoAttemptIsBeyondIt() {
		RetryRule rule = TestJobs.route(Unlimited.class).retry();
		assertThat(rule.beyondLimit(1)).isNotPositive();
		assertThat(rule.beyondLimit(Integer.MAX_VALUE)).isNotPositive();
		RetryRule limited = TestJobs.route(Exponential.class).retry();
		assertThat(limited.beyondLimit(11)).isZero();
		assertThat(limited.beyondLimit(13)).isEqualTo(2);
	}

	@Test
	void whatIsNotRetriedIncludesSubclasses() {
		RetryRule rule = TestJobs.route(NotForIo.class).retry();
		assertThat(rule.decide(new FileNotFoundException(), 0).delay()).isNull();
		assertThat(rule.decide(new IOException(), 0).delay()).isNull();
		assertThat(rule.decide(new RuntimeException(new IOException()), 0).delay()).isNotNull();
	}

	@Test
	void aPolicyDecidesInsteadOfTheInterval() {
		RetryRule rule = TestJobs.route(ByPolicy.class).retry();
		assertThat(rule.decide(ERROR, 0)).isEqualTo(new RetryOutcome(Duration.ofSeconds(7), "other", null));
		assertThat(rule.decide(ERROR, 1)).isEqualTo(new RetryOutcome(Duration.ofSeconds(31), "slow", null));
		assertThat(rule.decide(ERROR, 2)).isEqualTo(new RetryOutcome(null, null, null));
		assertThat(rule.decide(ERROR, 3).delay()).isEqualTo(RetryRule.MAX_DELAY);
	}

	@Test
	void theLimitHoldsForAPolicyWhichIsNotAskedBeyondIt() {
		RetryRule rule = TestJobs.route(ByPolicy.class).retry();
		Policy.asked.set(0);
		assertThat(rule.decide(ERROR, 4).delay()).isNull();
		assertThat(Policy.asked).hasValue(0);
	}

	@Test
	void aPolicyThatThrowsStopsTheRetriesAndBothErrorsAreKept() {
		Throwable error = new IllegalStateException("the handler's");
		RetryOutcome outcome = TestJobs.route(ByThrowing.class).retry().decide(error, 0);
		assertThat(outcome.delay()).isNull();
		assertThat(outcome.policyError()).isInstanceOf(AssertionError.class).hasMessage("the policy's");
		assertThat(error.getSuppressed()).containsExactly(outcome.policyError());
	}

	@Test
	void aPolicyThatRethrowsTheErrorStopsTheRetries() {
		RetryOutcome outcome = TestJobs.route(ByRethrowing.class).retry().decide(ERROR, 0);
		assertThat(outcome.delay()).isNull();
		assertThat(outcome.policyError()).isSameAs(ERROR);
	}

	@Test
	void aPolicyThatDecidesNothingOrABadQueueStopsTheRetries() {
		assertThat(TestJobs.route(ByNull.class).retry().decide(ERROR, 0).policyError())
			.hasMessageContaining(NullPolicy.class.getName())
			.hasMessageContaining("returned no decision");
		assertThat(TestJobs.route(ByBadQueue.class).retry().decide(ERROR, 0).policyError())
			.hasMessageContaining(BadQueuePolicy.class.getName())
			.hasMessageContaining(Names.FORM);
	}

	@Test
	void thePolicyIsTheBeanIfThereIsOneAndOtherwiseCreatedOnceWithItsDependencies() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(BeanPolicy.class, Dependency.class,
				ByBean.class, ByCreated.class)) {
			Routes routes = context.getBean(Routes.class);
			routes.require(ByBean.class).retry().decide(ERROR, 0);
			assertThat(context.getBean(BeanPolicy.class).asked).hasValue(1);
			RetryRule rule = routes.require(ByCreated.class).retry();
			assertThat(rule.decide(ERROR, 0).delay()).isEqualTo(Duration.ofSeconds(1));
			assertThat(rule.decide(ERROR, 0).delay()).isEqualTo(Duration.ofSeconds(2));
		}
	}

	private static RetryRule ruleOf(Class<?> job, RetryDefaults defaults) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(job)) {
			return Routes.of(context.getBeanFactory(), context.getEnvironment(), TestJobs.codec(), defaults)
				.require(job)
				.retry();
		}
	}

	@Job
	static class Once {

		void handle() {
		}

	}

	@Job
	@RetryWith
	static class Exponential {

		void handle() {
		}

	}

	@Job
	@RetryWith(interval = "5m", maxRetries = 1, queue = "slow")
	static class Fixed {

		void handle() {
		}

	}

	@RetryWith(maxRetries = 3, noRetryFor = FileNotFoundException.class)
	@Retention(RetentionPolicy.RUNTIME)
	@interface MailRetries {

		@AliasFor(annotation = RetryWith.class, attribute = "interval")
		String every();

	}

	@Job
	@MailRetries(every = "7s")
	static class Mailing {

		void handle() {
		}

	}

	@Job
	@RetryWith(maxRetries = RetryWith.UNLIMITED)
	static class Unlimited {

		void handle() {
		}

	}

	@Job
	@RetryWith(noRetryFor = IOException.class)
	static class NotForIo {

		void handle() {
		}

	}

	@Job
	@RetryWith(policy = Policy.class, maxRetries = 4, queue = "slow")
	static class ByPolicy {

		void handle() {
		}

	}

	static class Policy implements RetryPolicy {

		static final AtomicInteger asked = new AtomicInteger();

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			asked.incrementAndGet();
			return switch (retryCount) {
				case 0 -> RetryDecision.after(Duration.ofSeconds(7)).onQueue("other");
				case 1 -> RetryDecision.exponential();
				case 2 -> RetryDecision.stop();
				default -> RetryDecision.after(Duration.ofSeconds(Long.MAX_VALUE));
			};
		}

	}

	@Job
	@RetryWith(policy = ThrowingPolicy.class)
	static class ByThrowing {

		void handle() {
		}

	}

	static class ThrowingPolicy implements RetryPolicy {

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			throw new AssertionError("the policy's");
		}

	}

	@Job
	@RetryWith(policy = RethrowingPolicy.class)
	static class ByRethrowing {

		void handle() {
		}

	}

	static class RethrowingPolicy implements RetryPolicy {

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			throw (RuntimeException) error;
		}

	}

	@Job
	@RetryWith(policy = NullPolicy.class)
	static class ByNull {

		void handle() {
		}

	}

	static class NullPolicy implements RetryPolicy {

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			return null;
		}

	}

	@Job
	@RetryWith(policy = BadQueuePolicy.class)
	static class ByBadQueue {

		void handle() {
		}

	}

	static class BadQueuePolicy implements RetryPolicy {

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			return RetryDecision.exponential().onQueue("not a queue");
		}

	}

	@Component
	static class BeanPolicy implements RetryPolicy {

		final AtomicInteger asked = new AtomicInteger();

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			this.asked.incrementAndGet();
			return RetryDecision.stop();
		}

	}

	@Job
	@RetryWith(policy = BeanPolicy.class)
	static class ByBean {

		void handle() {
		}

	}

	@Component
	static class Dependency {

		final AtomicInteger asked = new AtomicInteger();

	}

	static class CreatedPolicy implements RetryPolicy {

		private static final AtomicInteger created = new AtomicInteger();

		private final Dependency dependency;

		CreatedPolicy(Dependency dependency) {
			assertThat(created.incrementAndGet()).isEqualTo(1);
			this.dependency = dependency;
		}

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			return RetryDecision.after(Duration.ofSeconds(this.dependency.asked.incrementAndGet()));
		}

	}

	@Job
	@RetryWith(policy = CreatedPolicy.class)
	static class ByCreated {

		void handle() {
		}

	}

}
