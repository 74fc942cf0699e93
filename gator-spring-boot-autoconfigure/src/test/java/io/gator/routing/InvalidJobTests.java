package io.gator.routing;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobContext;
import io.gator.Recurring;
import io.gator.RetryWith;
import io.gator.Unique;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JavaType;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Mistakes in a job that fail start-up: each is told with its culprits and a remedy.
 */
class InvalidJobTests {

	@Test
	void aJobWithoutAHandleMethodIsRefused() {
		Failure.of(NoHandle.class)
			.describes("invalidJobTests.NoHandle", NoHandle.class.getName(), "no method named 'handle'")
			.advises("Add a method 'handle'");
	}

	@Test
	void aJobWithTwoHandleMethodsIsRefused() {
		Failure.of(TwoHandles.class)
			.describes(TwoHandles.class.getName(), "2 methods named 'handle'", "handle(int)", "handle(String)")
			.advises("Keep only one of them");
	}

	@Test
	void aStaticHandleMethodIsRefused() {
		Failure.of(StaticHandle.class)
			.describes(StaticHandle.class.getName(), "is static")
			.advises("Make it an instance method of the bean");
	}

	@Test
	void aHandlerThatTakesTwoContextsIsRefused() {
		Failure.of(TwoContexts.class).describes(TwoContexts.class.getName(), "more than one JobContext");
	}

	@Test
	void twoJobsOfOneNameAreRefused() {
		Failure.of(OneOfTwo.class, OtherOfTwo.class)
			.describes("'same'", "invalidJobTests.OneOfTwo", OneOfTwo.class.getName(), "invalidJobTests.OtherOfTwo",
					OtherOfTwo.class.getName())
			.advises("@Job(name = ");
	}

	@Test
	void anAliasThatIsTheNameOfAnotherJobIsRefused() {
		Failure.of(OneOfTwo.class, AliasOfOther.class)
			.describes("'same'", OneOfTwo.class.getName(), AliasOfOther.class.getName());
	}

	@Test
	void twoBeansOfOneJobAreRefused() {
		Failure.of(TwoBeans.class)
			.describes("'Fine'", "the bean 'first'", "the bean 'second'")
			.advises("keep one of them");
	}

	@Test
	void aBeanWithRulesForAJobThatIsNoJobIsRefused() {
		Failure.of(ScheduledOnly.class)
			.describes("invalidJobTests.ScheduledOnly", ScheduledOnly.class.getName(), "@Recurring but not @Job")
			.advises("Annotate the class with @Job, or remove @Recurring");
		Failure.of(RetriedOnly.class).describes(RetriedOnly.class.getName(), "@RetryWith but not @Job");
		Failure.of(BufferedOnly.class).describes(BufferedOnly.class.getName(), "@Buffered but not @Job");
		Failure.of(UniqueOnly.class).describes(UniqueOnly.class.getName(), "@Unique but not @Job");
	}

	@Test
	void rulesThatJobsInheritAreNoMistake() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(DeclaredByItsRules.class)) {
			assertThat(context.getBean(Routes.class).names()).containsExactly("Ruled");
		}
	}

	@Test
	void aNameThatIsNotOfTheFormIsRefused() {
		Failure.of(BadName.class).describes(BadName.class.getName(), "'not a name'", Names.FORM);
		Failure.of(BadAlias.class).describes(BadAlias.class.getName(), "An alias", "'-'", Names.FORM);
		Failure.of(_Underscore.class).describes(_Underscore.class.getName(), "'_Underscore'").advises("@Job(name = ");
	}

	@Test
	void aQueueThatIsNotOfTheFormIsRefused() {
		Failure.of(BadQueue.class)
			.describes(BadQueue.class.getName(), "The queue", "'a b'", Names.FORM)
			.advises("at most 128 characters");
	}

	@Test
	void aPlaceholderThatNothingResolvesIsRefused() {
		Failure.of(Unresolved.class)
			.describes(Unresolved.class.getName(), "The queue", "'${nowhere.to.be.found}'", "placeholder")
			.advises("Set the property");
	}

	@Test
	void aTimeoutThatIsNoPositiveDurationIsRefused() {
		Failure.of(BadTimeout.class).describes(BadTimeout.class.getName(), "The timeout", "'soon'", "not a duration");
		Failure.of(ZeroTimeout.class)
			.describes(ZeroTimeout.class.getName(), "The timeout", "'0s'", "not greater than zero");
		Failure.of(UnitlessTimeout.class).describes("'30'").advises("a number and a unit");
		Failure.of(EndlessTimeout.class).describes("'99999999999999d'", "not a duration");
	}

	@Test
	void aHandlerInTheScopeOfAWebRequestIsRefused() {
		Failure.of(RequestScoped.class)
			.describes(RequestScoped.class.getName(), "web request")
			.advises("Make it a singleton");
	}

	@Test
	void anArgumentWhoseTypeARowChoosesIsRefused() {
		Failure.of(ClassNames.class).describes(ClassNames.class.getName(), Shape.class.getName()).advises("Id.NAME");
	}

	@Test
	void anArgumentThatIsAClassIsRefused() {
		Failure.of(TakesClass.class)
			.describes(TakesClass.class.getName(), Class.class.getName())
			.advises("another type");
		Failure.of(TakesClasses.class).describes(TakesClasses.class.getName(), Class.class.getName());
		Failure.of(TakesClassNames.class).describes(TakesClassNames.class.getName(), Class.class.getName());
		Failure.of(TakesItemsOfClasses.class).describes(TakesItemsOfClasses.class.getName(), Class.class.getName());
		Failure.of(TakesJavaType.class).describes(TakesJavaType.class.getName(), JavaType.class.getName());
	}

	@Test
	void aUniqueArgumentThatIsNotThereIsRefused() {
		Failure.of(BadUnique.class).describes(BadUnique.class.getName(), "names argument 1", "takes 1");
	}

	@Test
	void aMistakeThatShowsOnlyWhenTheBeanIsThereIsRefusedToo() {
		Failure.of(HiddenMistake.class).describes(NoHandle.class.getName(), "no method named 'handle'");
	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
	interface Shape {

	}

	@Recurring(every = "5m")
	@Component
	static class ScheduledOnly {

		void handle() {
		}

	}

	@RetryWith
	@Component
	static class RetriedOnly {

		void handle() {
		}

	}

	@Buffered
	@Component
	static class BufferedOnly {

		void handle(List<String> items) {
		}

	}

	@Unique
	@Component
	static class UniqueOnly {

		void handle() {
		}

	}

	@RetryWith
	interface WithRules {

		void handle();

	}

	@Job
	static class Ruled implements WithRules {

		@Override
		public void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DeclaredByItsRules {

		@Bean
		WithRules ruled() {
			return new Ruled();
		}

	}

	@Job
	static class NoHandle {

		void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class HiddenMistake {

		@Bean
		Object hidden() {
			return new NoHandle();
		}

	}

	@Job
	static class TwoHandles {

		void handle(int value) {
		}

		void handle(String value) {
		}

	}

	@Job
	static class StaticHandle {

		static void handle() {
		}

	}

	@Job
	static class TwoContexts {

		void handle(JobContext one, JobContext other) {
		}

	}

	@Job(name = "same")
	static class OneOfTwo {

		void handle() {
		}

	}

	@Job(name = "same")
	static class OtherOfTwo {

		void handle() {
		}

	}

	@Job(name = "different", aliases = "same")
	static class AliasOfOther {

		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoBeans {

		@Bean
		Fine first() {
			return new Fine();
		}

		@Bean
		Fine second() {
			return new Fine();
		}

	}

	@Job
	static class Fine {

		void handle() {
		}

	}

	@Job(name = "not a name")
	static class BadName {

		void handle() {
		}

	}

	@Job(aliases = "-")
	static class BadAlias {

		void handle() {
		}

	}

	@Job
	static class _Underscore {

		void handle() {
		}

	}

	@Job(queue = "a b")
	static class BadQueue {

		void handle() {
		}

	}

	@Job(queue = "${nowhere.to.be.found}")
	static class Unresolved {

		void handle() {
		}

	}

	@Job(timeout = "soon")
	static class BadTimeout {

		void handle() {
		}

	}

	@Job(timeout = "0s")
	static class ZeroTimeout {

		void handle() {
		}

	}

	@Job(timeout = "30")
	static class UnitlessTimeout {

		void handle() {
		}

	}

	@Job(timeout = "99999999999999d")
	static class EndlessTimeout {

		void handle() {
		}

	}

	@Job
	@Scope("request")
	static class RequestScoped {

		void handle() {
		}

	}

	@Job
	static class TakesClass {

		void handle(Class<?> type) {
		}

	}

	@Job
	static class TakesClasses {

		void handle(Collection<Optional<Class<?>>> types) {
		}

	}

	@Job
	static class TakesClassNames {

		void handle(Map<Class<?>, String> types) {
		}

	}

	@Job
	@Buffered
	static class TakesItemsOfClasses {

		void handle(List<ItemOfClass> items) {
		}

	}

	record ItemOfClass(Class<?> type) {
	}

	@Job
	static class TakesJavaType {

		void handle(JavaType type) {
		}

	}

	@Job
	static class ClassNames {

		void handle(Collection<Shape> shapes) {
		}

	}

	@Job
	@Unique(args = 1)
	static class BadUnique {

		void handle(JobContext context, String text) {
		}

	}

}
