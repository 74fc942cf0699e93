package io.gator.routing;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobBatch;
import io.gator.JobContext;
import io.gator.OnDead;
import io.gator.Recurring;
import io.gator.RetryDecision;
import io.gator.RetryPolicy;
import io.gator.RetryWith;
import io.gator.Unique;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JavaType;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.scheduling.annotation.Async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Mistakes that fail start-up: each is told with its culprits and a remedy.
 */
@ExtendWith(OutputCaptureExtension.class)
class InvalidJobTests {

	@Test
	void aJobWithoutAHandleMethodIsRefused() {
		failureOf(NoHandle.class)
			.describes("invalidJobTests.NoHandle", NoHandle.class.getName(), "no method named 'handle'")
			.advises("Add a method 'handle'");
	}

	@Test
	void aJobWithTwoHandleMethodsIsRefused() {
		failureOf(TwoHandles.class)
			.describes(TwoHandles.class.getName(), "2 methods named 'handle'", "handle(int)", "handle(String)")
			.advises("Keep only one of them");
	}

	@Test
	void aStaticHandleMethodIsRefused() {
		failureOf(StaticHandle.class).describes(StaticHandle.class.getName(), "is static")
			.advises("Make it an instance method of the bean");
	}

	@Test
	void aHandlerThatTakesTwoContextsIsRefused() {
		failureOf(TwoContexts.class).describes(TwoContexts.class.getName(), "more than one JobContext");
	}

	@Test
	void twoJobsOfOneNameAreRefused() {
		failureOf(OneOfTwo.class, OtherOfTwo.class)
			.describes("'same'", "invalidJobTests.OneOfTwo", OneOfTwo.class.getName(), "invalidJobTests.OtherOfTwo",
					OtherOfTwo.class.getName())
			.advises("@Job(name = ");
	}

	@Test
	void anAliasThatIsTheNameOfAnotherJobIsRefused() {
		failureOf(OneOfTwo.class, AliasOfOther.class).describes("'same'", OneOfTwo.class.getName(),
				AliasOfOther.class.getName());
	}

	@Test
	void twoBeansOfOneJobAreRefused() {
		failureOf(TwoBeans.class).describes("'Fine'", "the bean 'first'", "the bean 'second'")
			.advises("keep one of them");
	}

	@Test
	void aNameThatIsNotOfTheFormIsRefused() {
		failureOf(BadName.class).describes(BadName.class.getName(), "'not a name'", Names.FORM);
		failureOf(BadAlias.class).describes(BadAlias.class.getName(), "An alias", "'-'", Names.FORM);
		failureOf(_Underscore.class).describes(_Underscore.class.getName(), "'_Underscore'").advises("@Job(name = ");
	}

	@Test
	void aQueueThatIsNotOfTheFormIsRefused() {
		failureOf(BadQueue.class).describes(BadQueue.class.getName(), "The queue", "'a b'", Names.FORM)
			.advises("at most 128 characters");
	}

	@Test
	void aPlaceholderThatNothingResolvesIsRefused() {
		failureOf(Unresolved.class)
			.describes(Unresolved.class.getName(), "The queue", "'${nowhere.to.be.found}'", "placeholder")
			.advises("Set the property");
	}

	@Test
	void aTimeoutThatIsNoPositiveDurationIsRefused() {
		failureOf(BadTimeout.class).describes(BadTimeout.class.getName(), "The timeout", "'soon'", "not a duration");
		failureOf(ZeroTimeout.class).describes(ZeroTimeout.class.getName(), "The timeout", "'0s'",
				"not greater than zero");
		failureOf(UnitlessTimeout.class).describes("'30'").advises("a number and a unit");
		failureOf(EndlessTimeout.class).describes("'99999999999999d'", "not a duration");
	}

	@Test
	void anAsynchronousHandlerIsRefused() {
		failureOf(AsyncClass.class).describes(AsyncClass.class.getName(), "@Async").advises("Remove @Async");
		failureOf(AsyncHandle.class).describes(AsyncHandle.class.getName(), "@Async");
		failureOf(FutureHandle.class).describes(FutureHandle.class.getName(), "CompletableFuture")
			.advises("Wait for the outcome");
	}

	@Test
	void aHandlerInTheScopeOfAWebRequestIsRefused() {
		failureOf(RequestScoped.class).describes(RequestScoped.class.getName(), "web request")
			.advises("Make it a singleton");
	}

	@Test
	void anArgumentWhoseTypeARowChoosesIsRefused() {
		failureOf(ClassNames.class).describes(ClassNames.class.getName(), Shape.class.getName()).advises("Id.NAME");
	}

	@Test
	void anArgumentThatIsAClassIsRefused() {
		failureOf(TakesClass.class).describes(TakesClass.class.getName(), Class.class.getName())
			.advises("another type");
		failureOf(TakesClasses.class).describes(TakesClasses.class.getName(), Class.class.getName());
		failureOf(TakesClassNames.class).describes(TakesClassNames.class.getName(), Class.class.getName());
		failureOf(TakesItemsOfClasses.class).describes(TakesItemsOfClasses.class.getName(), Class.class.getName());
		failureOf(TakesJavaType.class).describes(TakesJavaType.class.getName(), JavaType.class.getName());
	}

	@Test
	void aRetryIntervalThatIsNoDurationIsRefused() {
		failureOf(BadInterval.class).describes(BadInterval.class.getName(), "The retry interval", "'often'")
			.advises("'exponential'");
		failureOf(NegativeInterval.class).describes("'-5s'", "negative");
	}

	@Test
	void retriesBelowTheSignForNoLimitAreRefused() {
		failureOf(BadRetries.class).describes(BadRetries.class.getName(), "The maxRetries", "-2")
			.advises("0 or more, or -1 for no limit");
	}

	@Test
	void aRetryQueueThatIsNotOfTheFormIsRefused() {
		failureOf(BadRetryQueue.class).describes(BadRetryQueue.class.getName(), "The retry queue", "'?'");
	}

	@Test
	void aRetryPolicyThatIsNoBeanAndCannotBeCreatedIsRefused() {
		failureOf(AbstractPolicyJob.class)
			.describes(AbstractPolicyJob.class.getName(), AbstractPolicy.class.getName(), "an interface")
			.advises("Declare a bean of it");
		failureOf(InnerPolicyJob.class).describes(InnerPolicy.class.getName(), "not static");
	}

	@Test
	void twoBeansOfOneRetryPolicyAreRefused() {
		failureOf(TwoPolicies.class, PolicyJob.class)
			.describes(PolicyJob.class.getName(), "2 beans", "onePolicy", "otherPolicy")
			.advises("Keep only one of them");
	}

	@Test
	void aDefaultRetryRuleThatCannotBeReadIsRefused() {
		new Failure(catchThrowable(() -> routesWith(new RetryDefaults("often", 3)))).describes("gator.retry.interval",
				"'often'");
		new Failure(catchThrowable(() -> routesWith(new RetryDefaults(null, -7))))
			.describes("gator.retry.max-retries", "-7")
			.advises("0 or more");
	}

	@Test
	void aBatchSizeOutOfRangeIsRefused() {
		failureOf(SizeZero.class).describes(SizeZero.class.getName(), "The size in @Buffered", "0")
			.advises("1 to 10000");
		failureOf(SizeHuge.class).describes(SizeHuge.class.getName(), "10001");
	}

	@Test
	void aJobThatMayRunNoBatchAtAllIsRefused() {
		failureOf(NotConcurrent.class).describes(NotConcurrent.class.getName(), "maxConcurrent", "0")
			.advises("1 or more");
	}

	@Test
	void aMaximalWaitThatIsNoDurationIsRefused() {
		failureOf(BadMaxWait.class).describes(BadMaxWait.class.getName(), "The maxWait", "'a while'");
		failureOf(NegativeMaxWait.class).describes("The maxWait", "'-1s'", "negative");
	}

	@Test
	void aMaximalWaitOverAnHourIsAllowedButWarnedOf(CapturedOutput output) {
		TestJobs.context(LongMaxWait.class).close();
		assertThat(output.getOut()).contains("WARN", "The maxWait", LongMaxWait.class.getName(), "PT1H1S");
		TestJobs.context(HourMaxWait.class).close();
		assertThat(output.getOut()).doesNotContain(HourMaxWait.class.getName());
	}

	@Test
	void aBatchKeyThatIsNoPropertyIsRefused() {
		failureOf(BadKey.class).describes(BadKey.class.getName(), "'tenantId'", Item.class.getName())
			.advises("Name a property");
	}

	@Test
	void aBufferedJobThatTakesNoItemsIsRefused() {
		failureOf(BufferedSingle.class)
			.describes(BufferedSingle.class.getName(), "@Buffered", "handle(", "neither one List nor one JobBatch")
			.advises("handle(List<E>)");
		failureOf(BufferedTwo.class).describes(BufferedTwo.class.getName(), "neither one List");
	}

	@Test
	void aBatchInAJobThatIsNotBufferedIsRefused() {
		failureOf(BatchOnly.class).describes(BatchOnly.class.getName(), "JobBatch", "not buffered")
			.advises("@Buffered");
	}

	@Test
	void aListAloneInAJobThatIsNotBufferedIsRefused() {
		failureOf(ListOnly.class).describes(ListOnly.class.getName(), "takes a List and nothing else", "not buffered")
			.advises("@Buffered", "Collection", "JobHandler<List<E>>");
	}

	@Test
	void aBufferedJobThatIsTransactionalIsRefused() {
		failureOf(BufferedTransactional.class)
			.describes(BufferedTransactional.class.getName(), "both @Buffered and transactional")
			.advises("Choose one");
	}

	@Test
	void aRecurringJobThatTakesArgumentsIsRefused() {
		failureOf(RecurringWithArguments.class)
			.describes(RecurringWithArguments.class.getName(), "@Recurring", "takes arguments")
			.advises("only a JobContext");
	}

	@Test
	void aCronExpressionThatCannotBeReadOrNeverComesIsRefused() {
		failureOf(BadCron.class)
			.describes(BadCron.class.getName(), "The cron expression", "'every day'", "not a valid cron expression")
			.advises("six fields");
		failureOf(Never.class).describes(Never.class.getName(), "'0 0 0 30 2 *'", "never comes");
	}

	@Test
	void aZoneThatDoesNotExistIsRefused() {
		failureOf(BadZone.class).describes(BadZone.class.getName(), "'Mars/Olympus'", "not a time zone");
	}

	@Test
	void anIntervalThatIsNoPositiveDurationIsRefused() {
		failureOf(BadEvery.class).describes(BadEvery.class.getName(), "(every)", "'now and then'");
		failureOf(ZeroEvery.class).describes("'0s'", "not greater than zero");
	}

	@Test
	void neitherOrBothOfCronAndEveryIsRefused() {
		failureOf(Neither.class).describes(Neither.class.getName(), "neither cron nor every")
			.advises("'-' switches it off");
		failureOf(Both.class).describes(Both.class.getName(), "both cron and every");
	}

	@Test
	void aUniqueArgumentThatIsNotThereIsRefused() {
		failureOf(BadUnique.class).describes(BadUnique.class.getName(), "names argument 1", "takes 1");
	}

	@Test
	void twoMethodsForDeadJobsAreRefused() {
		failureOf(TwoOnDead.class)
			.describes(TwoOnDead.class.getName(), "2 methods", "@OnDead", "one(Throwable)", "other()")
			.advises("Keep only one of them");
	}

	@Test
	void aMethodForDeadJobsThatWantsWhatThereIsNotIsRefused() {
		failureOf(BadOnDead.class).describes(BadOnDead.class.getName(), "dead(IOException)", "java.io.IOException")
			.advises("a Throwable");
		failureOf(BadBufferedOnDead.class).describes(BadBufferedOnDead.class.getName(), Item.class.getName())
			.advises("the List of the dead items");
		failureOf(AmbiguousOnDead.class).describes(AmbiguousOnDead.class.getName(), "'mail'", "'orderId' and 'email'")
			.advises("the name of the argument");
		failureOf(StaticOnDead.class).describes(StaticOnDead.class.getName(), "is static");
	}

	@Test
	void aMistakeThatShowsOnlyWhenTheBeanIsThereIsRefusedToo() {
		failureOf(HiddenMistake.class).describes(NoHandle.class.getName(), "no method named 'handle'");
	}

	private static Failure failureOf(Class<?>... jobs) {
		return new Failure(catchThrowable(() -> TestJobs.context(jobs).close()));
	}

	private static void routesWith(RetryDefaults defaults) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			Routes.of(context.getBeanFactory(), context.getEnvironment(), TestJobs.codec(), defaults);
		}
	}

	/**
	 * What a user gets to see.
	 */
	private record Failure(Throwable thrown) {

		Failure describes(String... texts) {
			assertThat(exception().description()).contains(texts);
			return this;
		}

		Failure advises(String... texts) {
			assertThat(exception().action()).contains(texts);
			return this;
		}

		private InvalidJobException exception() {
			assertThat(this.thrown).isNotNull();
			Throwable each = this.thrown;
			while (!(each instanceof InvalidJobException)) {
				each = each.getCause();
				assertThat(each).as("an InvalidJobException among the causes of %s", this.thrown).isNotNull();
			}
			return (InvalidJobException) each;
		}

	}

	record Item(int id) {

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
	interface Shape {

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
	@Async
	static class AsyncClass {

		void handle() {
		}

	}

	@Job
	static class AsyncHandle {

		@Async
		public void handle() {
		}

	}

	@Job
	static class FutureHandle {

		CompletableFuture<String> handle() {
			return CompletableFuture.completedFuture("");
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
	@Buffered(size = 0)
	static class SizeZero {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(size = 10_001)
	static class SizeHuge {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(maxConcurrent = 0)
	static class NotConcurrent {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(maxWait = "a while")
	static class BadMaxWait {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(maxWait = "-1s")
	static class NegativeMaxWait {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(maxWait = "3601s")
	static class LongMaxWait {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(maxWait = "1h")
	static class HourMaxWait {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered(key = "tenantId")
	static class BadKey {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Buffered
	static class BufferedSingle {

		void handle(Item item) {
		}

	}

	@Job
	@Buffered
	static class BufferedTwo {

		void handle(List<Item> items, String other) {
		}

	}

	@Job
	static class BatchOnly {

		void handle(JobBatch<Item> items) {
		}

	}

	@Job
	static class ListOnly {

		void handle(JobContext job, List<Item> items) {
		}

	}

	@Job(transactional = true)
	@Buffered
	static class BufferedTransactional {

		void handle(List<Item> items) {
		}

	}

	@Job
	@Recurring(every = "5m")
	static class RecurringWithArguments {

		void handle(String text) {
		}

	}

	@Job
	@Recurring(cron = "every day")
	static class BadCron {

		void handle() {
		}

	}

	@Job
	@Recurring(cron = "0 0 0 30 2 *")
	static class Never {

		void handle() {
		}

	}

	@Job
	@Recurring(cron = "0 0 3 * * *", zone = "Mars/Olympus")
	static class BadZone {

		void handle() {
		}

	}

	@Job
	@Recurring(every = "now and then")
	static class BadEvery {

		void handle() {
		}

	}

	@Job
	@Recurring(every = "0s")
	static class ZeroEvery {

		void handle() {
		}

	}

	@Job
	@Recurring
	static class Neither {

		void handle() {
		}

	}

	@Job
	@Recurring(cron = "0 0 3 * * *", every = "5m")
	static class Both {

		void handle() {
		}

	}

	@Job
	@Unique(args = 1)
	static class BadUnique {

		void handle(JobContext context, String text) {
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
