package io.gator.routing;

import java.io.IOException;
import java.util.List;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.OnDead;
import io.gator.RetryDecision;
import io.gator.RetryPolicy;
import io.gator.RetryWith;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Mistakes in what is to follow a failure that fail start-up.
 */
class InvalidRetryTests {

	@Test
	void aRetryIntervalThatIsNoDurationIsRefused() {
		Failure.of(BadInterval.class)
			.describes(BadInterval.class.getName(), "The retry interval", "'often'", "'exponential'", "such as '30s'")
			.advises("one of them");
		Failure.of(NegativeInterval.class).describes("'-5s'", "zero or more");
	}

	@Test
	void retriesBelowTheSignForNoLimitAreRefused() {
		Failure.of(BadRetries.class)
			.describes(BadRetries.class.getName(), "The maxRetries", "-2")
			.advises("0 or more, or -1 for no limit");
	}

	@Test
	void aRetryQueueThatIsNotOfTheFormIsRefused() {
		Failure.of(BadRetryQueue.class).describes(BadRetryQueue.class.getName(), "The retry queue", "'?'");
	}

	@Test
	void aRetryPolicyThatIsNoBeanAndCannotBeCreatedIsRefused() {
		Failure.of(AbstractPolicyJob.class)
			.describes(AbstractPolicyJob.class.getName(), AbstractPolicy.class.getName(), "an interface")
			.advises("Declare a bean of it");
		Failure.of(InnerPolicyJob.class).describes(InnerPolicy.class.getName(), "not static");
	}

	@Test
	void aRetryPolicyWhoseConstructorCannotBeCalledIsRefused() {
		Failure.of(UnsatisfiedPolicyJob.class)
			.describes(UnsatisfiedPolicyJob.class.getName(), UnsatisfiedPolicy.class.getName(), "cannot be created",
					Item.class.getName())
			.advises("Declare a bean of it", "a constructor");
	}

	@Test
	void twoBeansOfOneRetryPolicyAreRefused() {
		Failure.of(TwoPolicies.class, PolicyJob.class)
			.describes(PolicyJob.class.getName(), "2 beans", "onePolicy", "otherPolicy")
			.advises("Keep only one of them");
	}

	@Test
	void aDefaultRetryRuleThatCannotBeReadIsRefused() {
		new Failure(catchThrowable(() -> routesWith(new RetryDefaults("often", 3)))).describes("gator.retry.interval",
				"'often'", "'exponential'");
		new Failure(catchThrowable(() -> routesWith(new RetryDefaults(null, -7))))
			.describes("gator.retry.max-retries", "-7")
			.advises("0 or more");
	}

	@Test
	void twoMethodsForDeadJobsAreRefused() {
		Failure.of(TwoOnDead.class)
			.describes(TwoOnDead.class.getName(), "2 methods", "@OnDead", "one(Throwable)", "other()")
			.advises("Keep only one of them");
	}

	@Test
	void aMethodForDeadJobsThatWantsWhatThereIsNotIsRefused() {
		Failure.of(BadOnDead.class)
			.describes(BadOnDead.class.getName(), "dead(IOException)", "java.io.IOException")
			.advises("a Throwable");
		Failure.of(BadBufferedOnDead.class)
			.describes(BadBufferedOnDead.class.getName(), Item.class.getName())
			.advises("the List of the dead items");
		Failure.of(AmbiguousOnDead.class)
			.describes(AmbiguousOnDead.class.getName(), "'mail'", "'orderId' and 'email'")
			.advises("the name of the argument");
		Failure.of(StaticOnDead.class).describes(StaticOnDead.class.getName(), "is static");
	}

	private static void routesWith(RetryDefaults defaults) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			Routes.of(context.getBeanFactory(), context.getEnvironment(), TestJobs.codec(), defaults);
		}
	}

	record Item(int id) {

	}

	static class UnsatisfiedPolicy implements RetryPolicy {

		UnsatisfiedPolicy(Item nowhereToBeFound) {
		}

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			return RetryDecision.stop();
		}

	}

	@Job
	@RetryWith(policy = UnsatisfiedPolicy.class)
	static class UnsatisfiedPolicyJob {

		void handle() {
		}

	}

	@Job
	@RetryWith(interval = "often")
	static class BadInterval {

		void handle() {
		}

	}

	@Job
	@RetryWith(interval = "-5s")
	static class NegativeInterval {

		void handle() {
		}

	}

	@Job
	@RetryWith(maxRetries = -2)
	static class BadRetries {

		void handle() {
		}

	}

	@Job
	@RetryWith(queue = "?")
	static class BadRetryQueue {

		void handle() {
		}

	}

	interface AbstractPolicy extends RetryPolicy {

	}

	@Job
	@RetryWith(policy = AbstractPolicy.class)
	static class AbstractPolicyJob {

		void handle() {
		}

	}

	class InnerPolicy implements RetryPolicy {

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			return RetryDecision.stop();
		}

	}

	@Job
	@RetryWith(policy = InnerPolicy.class)
	static class InnerPolicyJob {

		void handle() {
		}

	}

	static class Policy implements RetryPolicy {

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			return RetryDecision.stop();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoPolicies {

		@Bean
		Policy onePolicy() {
			return new Policy();
		}

		@Bean
		Policy otherPolicy() {
			return new Policy();
		}

	}

	@Job
	@RetryWith(policy = Policy.class)
	static class PolicyJob {

		void handle() {
		}

	}

	@Job
	static class TwoOnDead {

		void handle() {
		}

		@OnDead
		void one(Throwable error) {
		}

		@OnDead
		void other() {
		}

	}

	@Job
	static class BadOnDead {

		void handle() {
		}

		@OnDead
		void dead(IOException error) {
		}

	}

	@Job
	@Buffered
	static class BadBufferedOnDead {

		void handle(List<Item> items) {
		}

		@OnDead
		void dead(Item item) {
		}

	}

	@Job
	static class AmbiguousOnDead {

		void handle(String orderId, String email) {
		}

		@OnDead
		void dead(String mail) {
		}

	}

	@Job
	static class StaticOnDead {

		void handle() {
		}

		@OnDead
		static void dead() {
		}

	}

}
