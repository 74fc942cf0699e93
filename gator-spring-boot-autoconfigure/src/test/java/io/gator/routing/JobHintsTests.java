package io.gator.routing;

import java.time.LocalDate;
import java.util.List;

import io.gator.Job;
import io.gator.JobHandler;
import io.gator.RetryDecision;
import io.gator.RetryPolicy;
import io.gator.RetryWith;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.aot.BeanFactoryInitializationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

class JobHintsTests {

	private static RuntimeHints hints(Class<?> job) {
		DefaultListableBeanFactory beanFactory = new DefaultListableBeanFactory();
		beanFactory.registerBeanDefinition("job", new RootBeanDefinition(job));
		RuntimeHints hints = new RuntimeHints();
		GenerationContext context = mock(GenerationContext.class);
		given(context.getRuntimeHints()).willReturn(hints);
		BeanFactoryInitializationAotContribution contribution = new JobHints().processAheadOfTime(beanFactory);
		contribution.applyTo(context, mock(BeanFactoryInitializationCode.class));
		return hints;
	}

	@Test
	void handlersPayloadsAndPoliciesAreInANativeImage() throws Exception {
		RuntimeHints hints = hints(Bill.class);
		assertThat(RuntimeHintsPredicates.reflection()
			.onMethodInvocation(Bill.class.getDeclaredMethod("handle", List.class, LocalDate.class))).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(Item.class)).accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Item.class.getDeclaredMethod("cents")))
			.accepts(hints);
		assertThat(RuntimeHintsPredicates.reflection().onType(Patience.class)).accepts(hints);
	}

	@ParameterizedTest
	@ValueSource(classes = { OfSuperclass.class, OfDefaultMethod.class, OfItsOwnBound.class, OfTwoLists.class })
	void whatAHandlerTakesInAnyWayIsInANativeImage(Class<?> job) {
		assertThat(RuntimeHintsPredicates.reflection().onType(Item.class)).accepts(hints(job));
	}

	abstract static class Handles<P> implements JobHandler<P> {

		@Override
		public void handle(P payload) {
		}

	}

	@Job
	static class OfSuperclass extends Handles<Item> {

	}

	@Job
	@SuppressWarnings("rawtypes")
	static class OfItsOwnBound {

		void handle(Range range, Item[] items) {
		}

	}

	@Job
	static class OfTwoLists {

		void handle(List<Integer> numbers, List<Item> items) {
		}

	}

	static class Range<T extends Comparable<T>> {

	}

	interface HandlesByDefault<P> extends JobHandler<P> {

		@Override
		default void handle(P payload) {
		}

	}

	@Job
	static class OfDefaultMethod implements HandlesByDefault<List<Item>> {

	}

	@Test
	void anApplicationWithoutJobsNeedsNothing() {
		assertThat(new JobHints().processAheadOfTime(new DefaultListableBeanFactory())).isNull();
	}

	@Test
	void theMigrationsAreInANativeImage() {
		RuntimeHints hints = new RuntimeHints();
		AotServices.factories()
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter((registrar) -> registrar.getClass().getName().startsWith("io.gator."))
			.forEach((registrar) -> registrar.registerHints(hints, getClass().getClassLoader()));
		assertThat(RuntimeHintsPredicates.resource().forResource("io/gator/migration/V1__gator.sql")).accepts(hints);
		assertThat(AotServices.factories()
			.load(BeanFactoryInitializationAotProcessor.class)
			.stream()
			.anyMatch(JobHints.class::isInstance)).isTrue();
	}

	record Item(String name, long cents) {

	}

	@Job
	@RetryWith(policy = Patience.class)
	static class Bill {

		void handle(List<Item> items, LocalDate day) {
		}

	}

	static class Patience implements RetryPolicy {

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			return RetryDecision.stop();
		}

	}

}
