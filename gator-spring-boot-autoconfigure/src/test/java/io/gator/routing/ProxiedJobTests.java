package io.gator.routing;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import io.gator.Job;
import io.gator.JobHandler;
import io.gator.OnDead;
import io.gator.RetryDecision;
import io.gator.RetryPolicy;
import io.gator.RetryWith;
import io.gator.test.NoTransactions;
import org.junit.jupiter.api.Test;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ProxiedJobTests {

	@Test
	void aPackagePrivateHandlerIsCalledThroughItsProxy() throws Throwable {
		assertThat(transactionsOf(Classes.class, PackagePrivate.class, "a")).containsExactly("a in a transaction");
	}

	@Test
	void aProtectedHandlerIsCalledThroughItsProxy() throws Throwable {
		assertThat(transactionsOf(Classes.class, Protected.class, "a")).containsExactly("a in a transaction");
	}

	@Test
	void anInheritedHandlerIsCalledThroughTheProxyOfItsSubclass() throws Throwable {
		assertThat(transactionsOf(Classes.class, Inherited.class, "a")).containsExactly("a in a transaction");
	}

	@Test
	void aJobHandlerBehindAJdkProxyIsCalledThroughIt() throws Throwable {
		assertThat(transactionsOf(Interfaces.class, BehindInterface.class, "a")).containsExactly("a in a transaction");
	}

	@Test
	void aHandlerOfAnInterfaceOfOnesOwnBehindAJdkProxyIsCalledThroughIt() throws Throwable {
		assertThat(transactionsOf(Interfaces.class, OwnInterfaceJob.class, "a")).containsExactly("a in a transaction");
	}

	@Test
	void aScopedProxyIsOneRoute() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Classes.class, Log.class,
				ScopedProxy.class)) {
			Routes routes = context.getBean(Routes.class);
			assertThat(routes.names()).containsExactly("ScopedProxy");
			routes.require(ScopedProxy.class).invoke(new Object[] { "a" }, TestJobs.attempt());
			assertThat(context.getBean(Log.class).lines).containsExactly("a without");
		}
	}

	@Test
	void aScopedProxyOfInterfacesIsOneRoute() throws Throwable {
		assertThat(transactionsOf(Interfaces.class, PlainScopedInterface.class, "a")).containsExactly("a without");
		assertThat(transactionsOf(Interfaces.class, ScopedInterface.class, "a")).containsExactly("a in a transaction");
		try (AnnotationConfigApplicationContext context = TestJobs.context(Interfaces.class, Log.class,
				PlainScopedInterface.class, ScopedInterface.class)) {
			assertThat(context.getBean(Routes.class).names()).containsExactlyInAnyOrder("PlainScopedInterface",
					"ScopedInterface");
		}
	}

	@Test
	void aJobIsFoundByTheClassOfItsProxy() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Classes.class, Log.class,
				PackagePrivate.class)) {
			Object bean = context.getBean(PackagePrivate.class);
			assertThat(AopUtils.isCglibProxy(bean)).isTrue();
			assertThat(context.getBean(Routes.class).require(bean.getClass()).jobClass())
				.isEqualTo(PackagePrivate.class);
		}
	}

	@Test
	void aJobBehindAProxyThatIsNotSpringsIsCalledThroughIt() throws Throwable {
		assertThat(transactionsOf(Foreign.class, BehindInterface.class, "a")).containsExactly("proxied", "a without");
	}

	@Test
	void aLazyJobThatIsDeclaredAsAJobHandlerIsFound() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(DeclaresInterface.class, Log.class)) {
			assertThat(context.getBean(Routes.class).names()).containsExactly("BehindInterface");
		}
	}

	@Test
	void aMethodForDeadJobsIsCalledThroughTheProxy() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Classes.class, Log.class,
				OnDeadOnly.class)) {
			context.getBean(Routes.class)
				.require(OnDeadOnly.class)
				.invokeOnDead(new Object[0], new IllegalStateException(), TestJobs.attempt());
			assertThat(context.getBean(Log.class).lines).containsExactly("dead in a transaction");
		}
	}

	@Test
	void aRetryPolicyBehindAJdkProxyIsAskedThroughIt() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Interfaces.class, Log.class,
				ProxiedPolicy.class, WithProxiedPolicy.class)) {
			assertThat(AopUtils.isJdkDynamicProxy(context.getBean(RetryPolicy.class))).isTrue();
			context.getBean(Routes.class)
				.require(WithProxiedPolicy.class)
				.retry()
				.decide(new IllegalStateException("no luck"), 0);
			assertThat(context.getBean(Log.class).lines).containsExactly("created without", "no luck in a transaction");
		}
	}

	@Test
	void aRetryPolicyBehindAScopedProxyIsOneBean() {
		assertThatPolicyIsAsked(ClassPolicy.class, WithClassPolicy.class);
		assertThatPolicyIsAsked(InterfacePolicy.class, WithInterfacePolicy.class);
	}

	private static void assertThatPolicyIsAsked(Class<?> policy, Class<?> job) {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Log.class, policy, job)) {
			assertThat(context.getBean(Routes.class).require(job).retry().decide(new IllegalStateException("x"), 0))
				.isEqualTo(RetryOutcome.DEAD);
			assertThat(context.getBean(Log.class).lines).containsExactly("created without", "x without");
		}
	}

	@Test
	void aPrivateHandlerOfAProxiedBeanFailsTheStart() {
		assertThatStartOf(Classes.class, Private.class, "handle(String)", "it is private");
	}

	@Test
	void aPrivateMethodForDeadJobsOfAProxiedBeanFailsTheStart() {
		assertThatStartOf(Classes.class, PrivateOnDead.class, "dead()", "it is private");
	}

	@Test
	void aFinalHandlerOfAProxiedBeanFailsTheStart() {
		assertThatStartOf(Classes.class, Final.class, "handle(String)", "it is final");
	}

	@Test
	void aHandlerThatTheInterfacesOfAJdkProxyDoNotHaveFailsTheStart() {
		assertThatStartOf(Interfaces.class, NotInInterface.class, "handle(String)", "JDK proxy");
	}

	@Test
	void aPrivateHandlerOfABeanWithoutProxyIsFine() throws Throwable {
		assertThat(transactionsOf(Classes.class, PrivateAndPlain.class, "a")).containsExactly("a without");
	}

	private static List<String> transactionsOf(Class<?> configuration, Class<?> job, Object... args) throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(configuration, Log.class, job)) {
			context.getBean(Routes.class).require(job).invoke(args, TestJobs.attempt());
			return context.getBean(Log.class).lines;
		}
	}

	private static void assertThatStartOf(Class<?> configuration, Class<?> job, String... texts) {
		assertThatExceptionOfType(InvalidJobException.class)
			.isThrownBy(() -> TestJobs.context(configuration, Log.class, job))
			.satisfies((ex) -> assertThat(ex).hasMessageContainingAll(texts).hasMessageContaining(job.getName()))
			.satisfies((ex) -> assertThat(ex.action()).isNotEmpty());
	}

	/** Proxies as a library may make them. */
	@Configuration(proxyBeanMethods = false)
	static class Foreign {

		@Bean
		static BeanPostProcessor proxies(ObjectProvider<Log> log) {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return !(bean instanceof BehindInterface) ? bean : Proxy.newProxyInstance(
							getClass().getClassLoader(), new Class<?>[] { JobHandler.class }, (proxy, method, args) -> {
								log.getObject().lines.add("proxied");
								return method.invoke(bean, args);
							});
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DeclaresInterface {

		@Bean
		@Lazy
		JobHandler<String> hidden(Log log) {
			return new BehindInterface(log);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Classes {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new NoTransactions();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class Interfaces {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new NoTransactions();
		}

	}

	@Component
	static class Log {

		final List<String> lines = new ArrayList<>();

		void add(String text) {
			this.lines.add(text + (TransactionSynchronizationManager.isActualTransactionActive() ? " in a transaction"
					: " without"));
		}

	}

	@Job
	@Transactional
	static class PackagePrivate {

		private final Log log;

		PackagePrivate(Log log) {
			this.log = log;
		}

		void handle(String text) {
			this.log.add(text);
		}

	}

	@Job
	static class Protected {

		private final Log log;

		Protected(Log log) {
			this.log = log;
		}

		@Transactional
		protected void handle(String text) {
			this.log.add(text);
		}

	}

	@Transactional
	abstract static class Base<T> {

		private final Log log;

		Base(Log log) {
			this.log = log;
		}

		void handle(T value) {
			this.log.add(value.toString());
		}

	}

	@Job
	static class Inherited extends Base<String> {

		Inherited(Log log) {
			super(log);
		}

	}

	@Job
	@Transactional
	static class BehindInterface implements JobHandler<String> {

		private final Log log;

		BehindInterface(Log log) {
			this.log = log;
		}

		@Override
		public void handle(String text) {
			this.log.add(text);
		}

	}

	@Component
	static class ProxiedPolicy implements RetryPolicy {

		private final Log log;

		ProxiedPolicy(Log log) {
			log.add("created");
			this.log = log;
		}

		@Override
		@Transactional
		public RetryDecision decide(Throwable error, int retryCount) {
			this.log.add(String.valueOf(error.getMessage()));
			return RetryDecision.stop();
		}

	}

	@Job
	@RetryWith(policy = ProxiedPolicy.class)
	static class WithProxiedPolicy {

		void handle() {
		}

	}

	@Scope(proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class ClassPolicy extends ProxiedPolicy {

		ClassPolicy(Log log) {
			super(log);
		}

	}

	@Job
	@RetryWith(policy = ClassPolicy.class)
	static class WithClassPolicy {

		void handle() {
		}

	}

	@Scope(proxyMode = ScopedProxyMode.INTERFACES)
	static class InterfacePolicy extends ProxiedPolicy {

		InterfacePolicy(Log log) {
			super(log);
		}

	}

	@Job
	@RetryWith(policy = InterfacePolicy.class)
	static class WithInterfacePolicy {

		void handle() {
		}

	}

	interface OwnInterface {

		void handle(String text);

	}

	@Job
	@Transactional
	static class OwnInterfaceJob implements OwnInterface {

		private final Log log;

		OwnInterfaceJob(Log log) {
			this.log = log;
		}

		@Override
		public void handle(String text) {
			this.log.add(text);
		}

	}

	@Job
	@Transactional
	static class NotInInterface implements Runnable {

		@Override
		public void run() {
		}

		public void handle(String text) {
		}

	}

	@Job
	@Scope(proxyMode = ScopedProxyMode.TARGET_CLASS)
	static class ScopedProxy {

		private final Log log;

		ScopedProxy(Log log) {
			this.log = log;
		}

		void handle(String text) {
			this.log.add(text);
		}

	}

	@Job
	@Scope(proxyMode = ScopedProxyMode.INTERFACES)
	static class ScopedInterface extends BehindInterface {

		ScopedInterface(Log log) {
			super(log);
		}

	}

	@Job
	@Scope(proxyMode = ScopedProxyMode.INTERFACES)
	static class PlainScopedInterface implements JobHandler<String> {

		private final Log log;

		PlainScopedInterface(Log log) {
			this.log = log;
		}

		@Override
		public void handle(String text) {
			this.log.add(text);
		}

	}

	@Job
	static class OnDeadOnly {

		private final Log log;

		OnDeadOnly(Log log) {
			this.log = log;
		}

		void handle() {
		}

		@OnDead
		@Transactional
		void dead() {
			this.log.add("dead");
		}

	}

	@Job
	@Transactional
	static class Private {

		private void handle(String text) {
		}

		public void other() {
		}

	}

	@Job
	@Transactional
	static class PrivateOnDead {

		void handle() {
		}

		@OnDead
		private void dead() {
		}

	}

	@Job
	@Transactional
	static class Final {

		final void handle(String text) {
		}

		public void other() {
		}

	}

	@Job
	static class PrivateAndPlain {

		private final Log log;

		PrivateAndPlain(Log log) {
			this.log = log;
		}

		private void handle(String text) {
			this.log.add(text);
		}

	}

}
