package io.gator.routing;

import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobBatch;
import io.gator.JobContext;
import io.gator.OnDead;
import io.gator.routing.TestJobs.Calls;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * How handlers are called, and with what.
 */
class HandlersTests {

	@Test
	void aPackagePrivateHandlerOfAPackagePrivateClassIsCalledWithItsArgumentsInOrder() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, Plain.class)) {
			Route route = context.getBean(Routes.class).require(Plain.class);
			assertThat(route.invoke(new Object[] { 42L, "fr" }, TestJobs.attempt())).isNull();
			assertThat(context.getBean(Calls.class).all).containsExactly(List.of(42L, "fr"));
		}
	}

	@Test
	void theContextIsGivenWhereverTheHandlerWantsIt() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, WithContext.class)) {
			Route route = context.getBean(Routes.class).require(WithContext.class);
			JobContext attempt = TestJobs.attempt();
			assertThat(route.argCount()).isEqualTo(2);
			assertThat(route.invoke(new Object[] { "a", "b" }, attempt)).isEqualTo("a7b");
			assertThat(route.isVoid()).isFalse();
		}
	}

	@Test
	void aMethodThatASuperclassKeepsToItselfIsNoHandler() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, BesidePrivate.class)) {
			Route route = context.getBean(Routes.class).require(BesidePrivate.class);
			route.invoke(new Object[] { "own" }, TestJobs.attempt());
			assertThat(context.getBean(Calls.class).all).containsExactly(List.of("own"));
		}
	}

	@Test
	void whatAHandlerThrowsArrivesAsItIs() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Failing.class)) {
			Route route = context.getBean(Routes.class).require(Failing.class);
			assertThatExceptionOfType(ClassNotFoundException.class)
				.isThrownBy(() -> route.invoke(new Object[] { true }, TestJobs.attempt()))
				.withNoCause();
			assertThatExceptionOfType(StackOverflowError.class)
				.isThrownBy(() -> route.invoke(new Object[] { false }, TestJobs.attempt()));
		}
	}

	@Test
	void whatAFactoryBeanMakesEachTimeIsFetchedForEachCall() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, Making.class)) {
			Route route = context.getBean(Routes.class).require(Made.class);
			route.invoke(new Object[0], TestJobs.attempt());
			route.invoke(new Object[0], TestJobs.attempt());
			assertThat(context.getBean(Calls.class).all).doesNotHaveDuplicates().hasSize(2);
		}
	}

	abstract static class HasPrivate {

		private void handle(int number) {
			throw new IllegalStateException("private");
		}

	}

	@Job
	static class BesidePrivate extends HasPrivate {

		private final Calls calls;

		BesidePrivate(Calls calls) {
			this.calls = calls;
		}

		void handle(String text) {
			this.calls.add(text);
		}

	}

	static class Making implements FactoryBean<Made> {

		private final Calls calls;

		Making(Calls calls) {
			this.calls = calls;
		}

		@Override
		public Made getObject() {
			return new Made(this.calls);
		}

		@Override
		public Class<?> getObjectType() {
			return Made.class;
		}

		@Override
		public boolean isSingleton() {
			return false;
		}

	}

	@Job
	static class Made {

		private final Calls calls;

		Made(Calls calls) {
			this.calls = calls;
		}

		void handle() {
			this.calls.add(this);
		}

	}

	@Test
	void aLazyBeanIsCreatedByTheFirstCall() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(LazyJob.class)) {
			Route route = context.getBean(Routes.class).require(LazyJob.class);
			LazyJob.created.set(0);
			route.invoke(new Object[0], TestJobs.attempt());
			route.invoke(new Object[0], TestJobs.attempt());
			assertThat(LazyJob.created).hasValue(1);
		}
	}

	@Test
	void aPrototypeIsFetchedForEachCall() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Prototype.class)) {
			Route route = context.getBean(Routes.class).require(Prototype.class);
			Object first = route.invoke(new Object[0], TestJobs.attempt());
			Object second = route.invoke(new Object[0], TestJobs.attempt());
			assertThat(first).isInstanceOf(Prototype.class).isNotSameAs(second);
		}
	}

	@Test
	void aBufferedJobIsDispatchedByItemAndHandledByList() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, ListJob.class)) {
			Route route = context.getBean(Routes.class).require(ListJob.class);
			assertThat(route.buffered()).isEqualTo(new BufferSpec(10, Duration.ofSeconds(1), 3, "tenant", false));
			assertThat(route.argCount()).isEqualTo(1);
			ArgsCodec codec = context.getBean(ArgsCodec.class);
			Object[] args = codec.decode(route, codec.encode(route, new Object[] { new Item(1, "t") }));
			assertThat(args).containsExactly(new Item(1, "t"));
			route.invoke(new Object[] { List.of(args[0]) }, TestJobs.attempt());
			assertThat(context.getBean(Calls.class).all).containsExactly(List.of(List.of(new Item(1, "t"))));
		}
	}

	@Test
	void aBufferedJobMayTakeABatch() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, BatchJob.class)) {
			Route route = context.getBean(Routes.class).require(BatchJob.class);
			assertThat(route.buffered()).isNotNull();
			assertThat(route.buffered().partial()).isTrue();
			Batch batch = new Batch(List.of(new Item(2, "u")));
			route.invoke(new Object[] { batch }, TestJobs.attempt());
			assertThat(context.getBean(Calls.class).all).containsExactly(List.of(batch, 7L));
		}
	}

	@Test
	void aListBesideOtherArgumentsIsOrdinaryForAJobThatIsNotBuffered() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(OrdinaryList.class)) {
			Route route = context.getBean(Routes.class).require(OrdinaryList.class);
			assertThat(route.buffered()).isNull();
			ArgsCodec codec = context.getBean(ArgsCodec.class);
			String json = codec.encode(route, new Object[] { 7L, List.of(new Item(1, "t")) });
			assertThat(codec.decode(route, json)).containsExactly(7L, List.of(new Item(1, "t")));
		}
	}

	@Test
	void theMethodForDeadJobsTakesWhatItWants() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, AllOnDead.class,
				SomeOnDead.class, RenamedOnDead.class, BufferedOnDead.class)) {
			Routes routes = context.getBean(Routes.class);
			Calls calls = context.getBean(Calls.class);
			Throwable error = new IllegalStateException();
			JobContext attempt = TestJobs.attempt();
			routes.require(AllOnDead.class).invokeOnDead(new Object[] { 1L, "a", "b" }, error, attempt);
			routes.require(SomeOnDead.class).invokeOnDead(new Object[] { 1L, "a", "b" }, error, attempt);
			routes.require(RenamedOnDead.class).invokeOnDead(new Object[] { 1L, "a", "b" }, error, attempt);
			List<Item> dead = List.of(new Item(3, "t"));
			routes.require(BufferedOnDead.class).invokeOnDead(new Object[] { dead }, error, attempt);
			assertThat(calls.all).containsExactly(List.of(1L, "a", "b", error, attempt), List.of("b"),
					List.of("b", 1L, "a"), List.of(error, dead));
		}
	}

	@Job
	static class Plain implements Serializable {

		private final transient Calls calls;

		Plain(Calls calls) {
			this.calls = calls;
		}

		void handle(long userId, String locale) {
			this.calls.add(userId, locale);
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
	@Lazy
	static class LazyJob {

		static final AtomicInteger created = new AtomicInteger();

		LazyJob() {
			created.incrementAndGet();
		}

		void handle() {
		}

	}

	@Job
	@Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
	static class Prototype {

		Object handle() {
			return this;
		}

	}

	record Item(int id, String tenant) {

	}

	record Batch(List<Item> items) implements JobBatch<Item> {

		@Override
		public void fail(Item item, Throwable cause) {
		}

	}

	@Job
	@Buffered(size = 10, maxWait = "1s", maxConcurrent = 3, key = "tenant")
	static class ListJob {

		private final Calls calls;

		ListJob(Calls calls) {
			this.calls = calls;
		}

		void handle(List<Item> items) {
			this.calls.add(items);
		}

	}

	@Job
	@Buffered
	static class BatchJob {

		private final Calls calls;

		BatchJob(Calls calls) {
			this.calls = calls;
		}

		void handle(JobBatch<Item> items, JobContext context) {
			this.calls.add(items, context.id());
		}

	}

	@Job
	static class OrdinaryList {

		void handle(long order, List<Item> items) {
		}

	}

	@Job
	static class AllOnDead {

		private final Calls calls;

		AllOnDead(Calls calls) {
			this.calls = calls;
		}

		void handle(long id, String first, String second) {
		}

		@OnDead
		private void dead(long id, String first, String second, Throwable error, JobContext context) {
			this.calls.add(id, first, second, error, context);
		}

	}

	@Job
	static class RenamedOnDead {

		private final Calls calls;

		RenamedOnDead(Calls calls) {
			this.calls = calls;
		}

		void handle(long id, String first, String second) {
		}

		@OnDead
		void dead(String another, long number, String first) {
			this.calls.add(another, number, first);
		}

	}

	@Job
	static class SomeOnDead {

		private final Calls calls;

		SomeOnDead(Calls calls) {
			this.calls = calls;
		}

		void handle(long id, String first, String second) {
		}

		@OnDead
		void dead(String second) {
			this.calls.add(second);
		}

	}

	@Job
	@Buffered
	static class BufferedOnDead {

		private final Calls calls;

		BufferedOnDead(Calls calls) {
			this.calls = calls;
		}

		void handle(JobBatch<Item> items) {
		}

		@OnDead
		void dead(Throwable error, List<Item> items) {
			this.calls.add(error, items);
		}

	}

}
