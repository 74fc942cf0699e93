package io.gator.routing;

import java.io.Serializable;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.gator.Buffered;
import io.gator.GatorJsonCustomizer;
import io.gator.Job;
import io.gator.JobContext;
import io.gator.Unique;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * Application contexts with jobs in them and nothing else of Gator but its routes.
 */
final class TestJobs {

	static final int MAX_PAYLOAD = 1_000_000;

	/** A value that no message may hold. */
	static final String SECRET = "s3cr3t-value";

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

	static String encode(Class<?> job, @Nullable Object... args) {
		ArgsCodec codec = codec();
		return codec.encode(route(job, codec), args);
	}

	/** All that an exception says, and its causes. */
	static String textOf(Throwable thrown) {
		StringBuilder text = new StringBuilder();
		for (Throwable each = thrown; each != null; each = each.getCause()) {
			text.append(each).append(Arrays.toString(each.getSuppressed()));
		}
		return text.toString();
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

	@Job
	static class None {

		void handle(JobContext context) {
		}

	}

	@Job
	static class Several {

		void handle(long id, String name, JobContext context, TimeUnit unit) {
		}

	}

	@Job
	static class OfLong {

		void handle(long value) {
		}

	}

	@Job
	static class OfBoxed {

		void handle(Long value) {
		}

	}

	@Job
	static class OfInt {

		void handle(int value) {
		}

	}

	@Job
	static class OfDouble {

		void handle(double value) {
		}

	}

	@Job
	static class OfString {

		void handle(String value) {
		}

	}

	@Job
	static class OfVarargs {

		void handle(String... values) {
		}

	}

	@Job
	static class OfDecimal {

		void handle(BigDecimal value) {
		}

	}

	@Job
	static class OfLocale {

		void handle(Locale value) {
		}

	}

	record Empty() {

	}

	@Job
	static class OfUntyped {

		void handle(Object value) {
		}

	}

	@Job
	@Unique
	static class OfSerializable {

		void handle(Serializable value) {
		}

	}

	static class Throwing {

		public String getName() {
			throw new IllegalStateException(SECRET);
		}

	}

	/** As a value is one of whose classes is not there, or cannot be initialised. */
	static class Broken {

		private final Throwable error;

		Broken(Throwable error) {
			this.error = error;
		}

		public String getName() throws Throwable {
			throw this.error;
		}

	}

	/** An exception that throws whatever it is asked. */
	static class Mute extends RuntimeException {

		private static final long serialVersionUID = 1L;

		@Override
		public synchronized Throwable getCause() {
			throw new UnsupportedOperationException(SECRET);
		}

		@Override
		public StackTraceElement[] getStackTrace() {
			throw new UnsupportedOperationException(SECRET);
		}

	}

	record Item(@Nullable String tenant, int amount) {

	}

	@Job
	@Buffered(key = "tenant")
	static class OfItems {

		void handle(List<Item> items) {
		}

	}

}
