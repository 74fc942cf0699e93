package io.gator.routing;

import java.io.Serializable;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobBatch;
import io.gator.JobContext;
import io.gator.JobHandler;
import io.gator.OnDead;
import io.gator.routing.TestJobs.Calls;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
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
	void aJobHandlerIsAJobEvenThroughAGenericSuperclass() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, Typed.class, Inherited.class)) {
			Routes routes = context.getBean(Routes.class);
			ArgsCodec codec = context.getBean(ArgsCodec.class);
			for (Class<?> job : List.of(Typed.class, Inherited.class)) {
				Route route = routes.require(job);
				String json = codec.encode(route, new Object[] { List.of(new Payload("x")) });
				route.invoke(codec.decode(route, json), TestJobs.attempt());
			}
			assertThat(context.getBean(Calls.class).all).containsExactly(List.of(List.of(new Payload("x"))),
					List.of(List.of(new Payload("x"))));
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
	void aListIsAnArgumentLikeAnyOtherUnlessTheJobIsBuffered() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, Listed.class)) {
			Route route = context.getBean(Routes.class).require(Listed.class);
			ArgsCodec codec = context.getBean(ArgsCodec.class);
			List<Payload> payloads = List.of(new Payload("x"), new Payload("y"));
			route.invoke(codec.decode(route, codec.encode(route, new Object[] { payloads })), TestJobs.attempt());
			assertThat(context.getBean(Calls.class).all).containsExactly(List.of(payloads));
		}
	}

	@Test
	void aSuperclassTakesWhatItsJobSays() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(OfMany.class, OfPairs.class,
				OfMethods.class)) {
			Routes routes = context.getBean(Routes.class);
			ArgsCodec codec = context.getBean(ArgsCodec.class);
			Map<Class<?>, Object> arguments = Map.of(OfMany.class, List.of(new Payload("x")), OfPairs.class,
					Map.of(Instant.EPOCH, new Payload("y")), OfMethods.class, Set.of(new Payload("z")));
			arguments.forEach((job, argument) -> {
				Route route = routes.require(job);
				assertThat(codec.decode(route, codec.encode(route, new Object[] { argument })))
					.containsExactly(argument);
				assertThat(route.hasOnDead()).isTrue();
			});
		}
	}

	@Test
	void aGenericJobTakesWhatTheMethodThatMakesItSays() {
		try (AnnotationConfigApplicationContext context = TestJobs.context(GenericJobs.class)) {
			Routes routes = context.getBean(Routes.class);
			ArgsCodec codec = context.getBean(ArgsCodec.class);
			for (Class<?> job : List.of(OfAnything.class, Bounded.class, OfInherited.class)) {
				Route route = routes.require(job);
				Object[] args = { new Payload("x"), List.of(new Payload("y")) };
				assertThat(codec.decode(route, codec.encode(route, args))).containsExactly(args);
				assertThat(route.hasOnDead()).isTrue();
			}
		}
	}

	@Test
	void aPublicJobMayInheritItsMethodsFromAClassThatIsNot() throws Throwable {
		try (AnnotationConfigApplicationContext context = TestJobs.context(Calls.class, PublicJob.class)) {
			Route route = context.getBean(Routes.class).require(PublicJob.class);
			route.invoke(new Object[] { "done" }, TestJobs.attempt());
			assertThat(route.hasOnDead()).isTrue();
			route.invokeOnDead(new Object[] { "x" }, new IllegalStateException("undone"), TestJobs.attempt());
			assertThat(context.getBean(Calls.class).all).containsExactly(List.of("done"), List.of("undone"));
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

	record Payload(String text) {

	}

	@Job
	static class Listed {

		private final Calls calls;

		Listed(Calls calls) {
			this.calls = calls;
		}

		void handle(JobContext job, List<Payload> payloads) {
			this.calls.add(payloads);
		}

	}

	@Job
	static class Typed implements JobHandler<List<Payload>> {

		private final Calls calls;

		Typed(Calls calls) {
			this.calls = calls;
		}

		@Override
		public void handle(List<Payload> payload) {
			this.calls.add(payload);
		}

	}

	abstract static class Handles<T> implements JobHandler<T> {

		@Override
		public void handle(T payload) {
		}

		@OnDead
		void dead(T payload) {
		}

	}

	@Job
	static class OfMany extends Handles<Collection<Payload>> {

	}

	@Job
	static class OfPairs extends Handles<Map<Instant, Payload>> {

	}

	abstract static class HandlesSets<T> {

		void handle(Set<T> payload) {
		}

		@OnDead
		void dead(Set<T> payload) {
		}

	}

	@Job
	static class OfMethods extends HandlesSets<Payload> {

	}

	@Configuration(proxyBeanMethods = false)
	static class GenericJobs {

		@Bean
		OfAnything<Payload> ofAnything() {
			return new OfAnything<>();
		}

		@Bean
		Bounded<Payload> bounded() {
			return new Bounded<>();
		}

		@Bean
		OfInherited<String, Payload> ofInherited() {
			return new OfInherited<>();
		}

	}

	@Job
	static class OfAnything<T> {

		void handle(T one, Collection<T> others) {
		}

		@OnDead
		void dead(Collection<T> others, T one) {
		}

	}

	abstract static class HandlesOne<T> {

		void handle(T one, Collection<T> others) {
		}

		@OnDead
		void dead(Collection<T> others, T one) {
		}

	}

	/** The variables of the superclass are others, though one has the same name. */
	@Job
	static class OfInherited<T, P> extends HandlesOne<P> {

	}

	@Job
	static class Bounded<T extends Record> {

		void handle(T one, Collection<T> others) {
		}

		@OnDead
		void dead(Collection<T> others, T one) {
		}

	}

	abstract static class Base<T> implements JobHandler<List<T>> {

		private final Calls calls;

		Base(Calls calls) {
			this.calls = calls;
		}

		@Override
		public void handle(List<T> payload) {
			this.calls.add(payload);
		}

	}

	@Job
	static class Inherited extends Base<Payload> {

		Inherited(Calls calls) {
			super(calls);
		}

	}

	abstract static class HiddenBase {

		private final Calls calls;

		HiddenBase(Calls calls) {
			this.calls = calls;
		}

		public void handle(String text) {
			this.calls.add(text);
		}

		@OnDead
		public void undo(Throwable error) {
			this.calls.add(error.getMessage());
		}

	}

	@Job
	public static class PublicJob extends HiddenBase {

		public PublicJob(Calls calls) {
			super(calls);
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
