package io.gator.routing;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobHandler;
import io.gator.OnDead;
import io.gator.routing.TestJobs.Calls;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What handlers take, where superclasses and type variables say it.
 */
class HandlerTypesTests {

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

}
