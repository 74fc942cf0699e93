package io.gator.routing;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.gator.GatorJsonCustomizer;
import io.gator.JobContext;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * Application contexts with jobs in them and nothing else of Gator but its routes.
 */
final class TestJobs {

	static final int MAX_PAYLOAD = 1_000_000;

	private TestJobs() {
	}

	static AnnotationConfigApplicationContext context(Class<?>... classes) {
		return context(Map.of(), classes);
	}

	static AnnotationConfigApplicationContext context(Map<String, Object> properties, Class<?>... classes) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
		context.registerBean(ArgsCodec.class, () -> codec());
		context.registerBean(Routes.class, () -> Routes.of(context.getBeanFactory(), context.getEnvironment(),
				context.getBean(ArgsCodec.class), RetryDefaults.NONE));
		if (classes.length > 0) {
			context.register(classes);
		}
		context.refresh();
		return context;
	}

	static ArgsCodec codec(GatorJsonCustomizer... customizers) {
		return new ArgsCodec(List.of(customizers), MAX_PAYLOAD);
	}

	/**
	 * Make the route of a class without a context.
	 */
	static Route route(Class<?> job, ArgsCodec codec) {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.register(job);
			context.refresh();
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			return Routes.of(beans, context.getEnvironment(), codec, RetryDefaults.NONE).require(job);
		}
	}

	static Route route(Class<?> job) {
		return route(job, codec());
	}

	static Context attempt() {
		return new Context(7, "Test", "default", 1, Instant.EPOCH, 1, false);
	}

	record Context(long id, String name, String queue, int attempt, Instant dispatchedAt, long lease,
			boolean isCancelled) implements JobContext {

	}

	/**
	 * What handlers were called with.
	 */
	static final class Calls {

		final List<List<Object>> all = new ArrayList<>();

		void add(Object... values) {
			this.all.add(Arrays.asList(values));
		}

	}

}
