package io.gator.routing;

import java.io.Serializable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobDispatchException;
import io.gator.JobHandler;
import io.gator.Recurring;
import io.gator.Unique;
import io.gator.routing.TestJobs.Calls;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.Lookup;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which jobs an application has, and what their annotations say.
 */
class RoutesTests {

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aHandlerThatIsNoJobIsSpokenOfAndOneThatIsAJobIsNot(CapturedOutput output) {
		TestJobs.context(Loose.class, Handled.class).close();
		assertThat(output.toString().lines().filter((line) -> line.contains("no @Job"))).singleElement()
			.asString()
			.contains("routesTests.Loose", Loose.class.getName());
	}

	@Component
	static class Loose implements JobHandler<String> {

		@Override
		public void handle(String payload) {
		}

	}

	@Job
	static class Handled implements JobHandler<String> {

		@Override
		public void handle(String payload) {
		}

	}

	@Test
	void anApplicationWithoutJobsHasNoRoutes() {
		try (AnnotationConfigApplicationContext context = TestJobs.context()) {
			Routes routes = context.getBean(Routes.class);
			assertThat(routes.all()).isEmpty();
			assertThat(routes.names()).isEmpty();
			assertThat(routes.find("Anything")).isNull();
		}
	}

	@Test
	void theNameIsTheSimpleNameOfTheClassAndTheQueueTheDefaultOne() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, Plain.class)) {
			Route route = context.getBean(Routes.class).require(Plain.class);
			assertThat(route.name()).isEqualTo("Plain");
			assertThat(route.queue()).isEqualTo("default");
			assertThat(route.aliases()).isEmpty();
			assertThat(route.timeout()).isNull();
			assertThat(route.transactional()).isFalse();
			assertThat(route.buffered()).isNull();
			assertThat(route.recurring()).isNull();
			assertThat(route.unique()).isNull();
			assertThat(route.argCount()).isEqualTo(2);
			assertThat(route.isVoid()).isTrue();
			assertThat(route.hasOnDead()).isFalse();
		}
	}

	@Test
	void whatTheAnnotationSaysIsInTheRouteWithPlaceholdersResolved() {
		Map<String, Object> properties = Map.of("the.queue", " critical ", "the.timeout", "PT2M");
		try (AnnotationConfigApplicationContext context = TestJobs.context(properties, Configured.class)) {
			Routes routes = context.getBean(Routes.class);
			Route route = routes.require(Configured.class);
			assertThat(route.name()).isEqualTo("billing:invoice");
			assertThat(route.queue()).isEqualTo("critical");
			assertThat(route.timeout()).isEqualTo(Duration.ofMinutes(2));
			assertThat(route.transactional()).isTrue();
			assertThat(route.aliases()).containsExactly("Invoice", "SendInvoice");
			assertThat(routes.names()).containsExactlyInAnyOrder("billing:invoice", "Invoice", "SendInvoice");
			assertThat(routes.find("SendInvoice")).isSameAs(route);
		}
	}

	@Test
	void theAnnotationIsFoundOnMetaAnnotationsSuperclassesAndClassesOfBeanMethods() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Meta.class, Sub.class, BeanMethods.class)) {
			Routes routes = context.getBean(Routes.class);
			assertThat(routes.require(Meta.class).queue()).isEqualTo("nightly");
			assertThat(routes.require(Sub.class).name()).isEqualTo("Sub");
			assertThat(routes.require(FromMethod.class).beanName()).isEqualTo("fromMethod");
			assertThat(routes.names()).containsExactlyInAnyOrder("Meta", "Sub", "FromMethod", "Hidden");
		}
	}

	@Test
	void anAbstractClassWhoseLookupMethodsSpringFillsInIsAJob() throws Throwable {
		List<Class<? extends WithLookup>> jobs = List.of(Filled.class, FilledLate.class, FilledOften.class);
		try (AnnotationConfigApplicationContext context = TestJobs.context(Prototype.class, Filled.class,
				FilledLate.class, FilledOften.class)) {
			for (Class<?> job : jobs) {
				Route route = context.getBean(Routes.class).require(job);
				assertThat(route.name()).isEqualTo(job.getSimpleName());
				assertThat(route.invoke(new Object[0], TestJobs.attempt())).isInstanceOf(Prototype.class);
			}
		}
	}

	@Test
	void ofAnAbstractClassThatIsOnlyDeclaredTheJobIsTheClassBehindIt() {
		try (AnnotationConfigApplicationContext context = TestJobs.context()) {
			context.registerBean("supplied", Declared.class, BehindSupplier::new);
			context.registerBean("made", Declared.class,
					(definition) -> ((AbstractBeanDefinition) definition).setFactoryMethodName("create"));
			Routes routes = context.getBean(Routes.class);
			routes.afterSingletonsInstantiated();
			assertThat(routes.names()).isEmpty();
			context.getBean("supplied");
			context.getBean("made");
			routes.afterSingletonsInstantiated();
			assertThat(routes.names()).containsExactlyInAnyOrder("BehindSupplier", "BehindMethod");
		}
	}

	@Test
	void aJobIsFoundByAnInterfaceOrSuperclassThatOnlyOneJobHas() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, Sub.class, Plain.class,
				WithContext.class)) {
			Routes routes = context.getBean(Routes.class);
			assertThat(routes.require(Super.class).name()).isEqualTo("Sub");
			assertThat(routes.require(Serializable.class).name()).isEqualTo("Plain");
			assertThatExceptionOfType(JobDispatchException.class).isThrownBy(() -> routes.require(Shared.class))
				.withMessageContaining(Shared.class.getName())
				.withMessageContaining("'Plain'")
				.withMessageContaining("'Sub'");
		}
	}

	@ParameterizedTest
	@ValueSource(classes = { Object.class, JobHandler.class })
	void aTypeThatAnyJobMayHaveIsNoJobEvenIfThereIsOnlyOne(Class<?> type) {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Handled.class)) {
			Routes routes = context.getBean(Routes.class);
			assertThatExceptionOfType(JobDispatchException.class).isThrownBy(() -> routes.require(type))
				.withMessageContaining("is not a job of this application");
		}
	}

	@Test
	void aClassThatIsNoJobIsNamed() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, Plain.class)) {
			Routes routes = context.getBean(Routes.class);
			assertThatExceptionOfType(JobDispatchException.class).isThrownBy(() -> routes.require(String.class))
				.withMessageContaining("java.lang.String")
				.withMessageContaining("is not a job of this application");
		}
	}

	@Test
	void aBeanThatIsBeingCreatedMayAskForRoutes() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Impatient.class, Calls.class, Plain.class)) {
			assertThat(context.getBean(Impatient.class).names).contains("Plain", "Impatient");
		}
	}

	@Test
	void findingJobsCreatesNoLazyBeanAndNoProductOfAFactory() {
		LazyJob.created.set(0);
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerBeanDefinition("job", new RootBeanDefinition(LazyJob.class));
		beans.registerBeanDefinition("product", new RootBeanDefinition(Product.class));
		Routes routes = Routes.of(beans, new StandardEnvironment(), TestJobs.codec(), RetryDefaults.NONE);
		routes.afterSingletonsInstantiated();
		assertThat(routes.names()).containsExactly("LazyJob");
		assertThat(LazyJob.created).hasValue(0);
		assertThat(Product.created).hasValue(0);
	}

	@Test
	void aRecurringJobTicksByItsCronExpressionOrItsInterval() {
		Map<String, Object> properties = Map.of("the.cron", "0 0 3 * * *", "the.zone", "Europe/Paris");
		try (AnnotationConfigApplicationContext context = TestJobs.context(properties, Nightly.class, Often.class,
				Off.class)) {
			Routes routes = context.getBean(Routes.class);
			RecurringSpec nightly = routes.require(Nightly.class).recurring();
			assertThat(nightly).isNotNull();
			assertThat(nightly.schedule()).isEqualTo("0 0 3 * * *");
			assertThat(nightly.zone()).hasToString("Europe/Paris");
			assertThat(nightly.misfire()).isEqualTo(Recurring.Misfire.SKIP);
			assertThat(nightly.overlap()).isTrue();
			RecurringSpec often = routes.require(Often.class).recurring();
			assertThat(often).isNotNull();
			assertThat(often.cron()).isNull();
			assertThat(often.every()).isEqualTo(Duration.ofMinutes(5));
			assertThat(often.schedule()).isEqualTo("PT5M");
			assertThat(routes.require(Off.class).recurring()).isNull();
		}
	}

	@Test
	void aUniqueJobNamesTheArgumentsThatCount() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(UniqueJob.class)) {
			assertThat(context.getBean(Routes.class).require(UniqueJob.class).unique())
				.isEqualTo(new UniqueSpec(List.of(1), true));
		}
	}

	@Test
	void aJobMayFollowAnotherThatReturnsWhatItTakesOrTakesTheSame() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, Plain.class, WithContext.class,
				Failing.class, Often.class, TakesText.class)) {
			Routes routes = context.getBean(Routes.class);
			assertThat(routes.require(TakesText.class).mayFollow(routes.require(WithContext.class))).isTrue();
			assertThat(routes.require(TakesText.class).mayFollow(routes.require(Plain.class))).isFalse();
			assertThat(routes.require(TakesText.class).mayFollow(routes.require(Failing.class))).isFalse();
			assertThat(routes.require(Plain.class).mayFollow(routes.require(Plain.class))).isTrue();
			assertThat(routes.require(WithContext.class).mayFollow(routes.require(Plain.class))).isFalse();
			assertThat(routes.require(Often.class).mayFollow(routes.require(Plain.class))).isTrue();
			assertThat(routes.require(TakesText.class).mayTakeResultOf(routes.require(WithContext.class))).isTrue();
			assertThat(routes.require(Plain.class).mayTakeResultOf(routes.require(Plain.class))).isFalse();
			assertThat(routes.require(Often.class).mayTakeResultOf(routes.require(WithContext.class))).isFalse();
		}
	}

	interface Shared {

	}

	@Job
	static class Plain implements Serializable, Shared {

		private final transient Calls calls;

		Plain(Calls calls) {
			this.calls = calls;
		}

		void handle(long userId, String locale) {
			this.calls.add(userId, locale);
		}

	}

	@Job(name = "billing:invoice", aliases = { "Invoice", "SendInvoice", "billing:invoice" }, queue = "${the.queue}",
			timeout = "${the.timeout}", transactional = true)
	static class Configured {

		private void handle() {
		}

	}

	@Job
	static class WithContext {

		String handle(String before, JobContext context, String after) {
			return before + context.id() + after;
		}

	}

	@Job
	static class Failing {

		void handle(boolean checked) throws Exception {
			if (checked) {
				throw new ClassNotFoundException("as it is");
			}
			throw new StackOverflowError();
		}

	}

	@Job
	@Retention(RetentionPolicy.RUNTIME)
	@interface NightlyJob {

		@AliasFor(annotation = Job.class)
		String queue() default "nightly";

	}

	@NightlyJob
	static class Meta {

		void handle() {
		}

	}

	@Job
	static class Super {

		void handle(int value) {
		}

	}

	static class Sub extends Super implements Shared {

	}

	@Job
	static class FromMethod {

		void handle() {
		}

	}

	@Job
	static class Hidden implements Runnable {

		@Override
		public void run() {
		}

		void handle() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class BeanMethods {

		@Bean
		FromMethod fromMethod() {
			return new FromMethod();
		}

		@Bean
		Runnable runnable() {
			return new Hidden();
		}

	}

	@Job
	static class Impatient {

		final List<String> names;

		Impatient(Routes routes) {
			this.names = List.copyOf(routes.names());
		}

		void handle() {
		}

	}

	@Job
	@Lazy
	static class LazyJob {

		static final AtomicInteger created = new AtomicInteger();

		LazyJob() {
			created.incrementAndGet();
		}

		void handle() {
		}

	}

	static class Product implements FactoryBean<Object> {

		static final AtomicInteger created = new AtomicInteger();

		Product() {
			created.incrementAndGet();
		}

		@Override
		public Object getObject() {
			return new Object();
		}

		@Override
		public Class<?> getObjectType() {
			return Object.class;
		}

	}

	@Job
	@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
	static class Prototype {

		Object handle() {
			return this;
		}

	}

	abstract static class WithLookup {

		@Lookup
		abstract Prototype another();

		Prototype handle() {
			return another();
		}

	}

	@Job
	abstract static class Filled extends WithLookup {

	}

	@Job
	@Lazy
	abstract static class FilledLate extends WithLookup {

	}

	@Job
	@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
	abstract static class FilledOften extends WithLookup {

	}

	@Job
	abstract static class Declared {

		static Declared create() {
			return new BehindMethod();
		}

		void handle() {
		}

	}

	static class BehindSupplier extends Declared {

	}

	static class BehindMethod extends Declared {

	}

	@Job
	@Recurring(cron = "${the.cron}", zone = "${the.zone}", misfire = Recurring.Misfire.SKIP, overlap = true)
	static class Nightly {

		void handle(JobContext context) {
		}

	}

	@Job
	@Recurring(every = "5m")
	static class Often {

		void handle() {
		}

	}

	@Job
	@Recurring(cron = "-")
	static class Off {

		void handle() {
		}

	}

	@Job
	@Unique(args = 1, until = Unique.Until.STARTED)
	static class UniqueJob {

		void handle(long id, JobContext context, String text) {
		}

	}

	@Job
	static class TakesText {

		void handle(String text) {
		}

	}

}
