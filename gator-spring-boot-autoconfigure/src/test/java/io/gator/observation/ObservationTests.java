package io.gator.observation;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.gator.Job;
import io.gator.JobCancelledException;
import io.gator.JobDispatchException;
import io.gator.JobSnoozedException;
import io.gator.JobTemplate;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import io.gator.test.Undeclared;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static io.micrometer.observation.tck.TestObservationRegistryAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@FreshDatabase
class ObservationTests {

	@Test
	void aTraceGoesFromTheRequestThroughTheRowToTheHandlerAndOn(DatabaseHandle database) {
		JobTable jobs = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database,
				List.of(Traced.class, Followed.class, Works.class, ObservabilityConfiguration.class),
				"management.tracing.sampling.probability=1")) {
			InMemorySpanExporter spans = application.bean(InMemorySpanExporter.class);
			Observation.createNotStarted("request", application.bean(ObservationRegistry.class))
				.observe(() -> application.bean(JobTemplate.class).dispatch(Followed.class));
			await().until(() -> spans.getFinishedSpanItems().size() == 5);
			SpanData request = span(spans, "request");
			SpanData outer = child(spans, request, "dispatch Followed");
			SpanData followed = child(spans, outer, "execute Followed");
			SpanData inner = child(spans, followed, "dispatch Works");
			SpanData works = child(spans, inner, "execute Works");
			assertThat(outer.getKind()).isEqualTo(SpanKind.PRODUCER);
			assertThat(works.getKind()).isEqualTo(SpanKind.CONSUMER);
			assertThat(works.getStatus()).isEqualTo(StatusData.unset());
			await().until(() -> jobs.count("gator_job_history where name = 'Works'") == 1);
		}
	}

	private static SpanData span(InMemorySpanExporter spans, String name) {
		return spans.getFinishedSpanItems()
			.stream()
			.filter((span) -> span.getName().equals(name))
			.findFirst()
			.orElseThrow();
	}

	private static SpanData child(InMemorySpanExporter spans, SpanData parent, String name) {
		SpanData child = span(spans, name);
		assertThat(child.getTraceId()).isEqualTo(parent.getTraceId());
		assertThat(child.getParentSpanId()).isEqualTo(parent.getSpanId());
		return child;
	}

	@Test
	void whatAHandlerAsksForIsNoErrorAndWhatItThrowsElseIs(DatabaseHandle database) {
		JobTable jobs = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database, List.of(Registry.class, Works.class,
				Fails.class, Snoozes.class, Cancels.class, ObservabilityConfiguration.class))) {
			JobTemplate template = application.bean(JobTemplate.class);
			jobs.awaitState(template.dispatch(Works.class), "SUCCEEDED");
			jobs.awaitState(template.dispatch(Fails.class), "DEAD");
			jobs.awaitState(template.dispatch(Snoozes.class), "SCHEDULED");
			jobs.awaitState(template.dispatch(Cancels.class), "CANCELLED");
			TestObservationRegistry registry = application.bean(TestObservationRegistry.class);
			Map.of("Works", "succeeded", "Fails", "failed", "Snoozes", "snoozed", "Cancels", "cancelled")
				.forEach((name, outcome) -> assertThat(registry).hasAnObservation((observation) -> {
					observation.hasNameEqualTo("gator.job.execute")
						.hasLowCardinalityKeyValue("gator.job.name", name)
						.hasLowCardinalityKeyValue("gator.job.queue", "default")
						.hasLowCardinalityKeyValue("gator.job.outcome", outcome)
						.hasHighCardinalityKeyValue("gator.job.attempt", "1");
					if (outcome.equals("failed")) {
						observation.hasError();
					}
					else {
						observation.doesNotHaveError();
					}
				}));
		}
	}

	@Test
	void anObservationThatFailsFailsNeitherTheDispatchNorTheAttempt(DatabaseHandle database) {
		JobTable jobs = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database,
				List.of(Registry.class, Works.class, Fails.class, ObservabilityConfiguration.class))) {
			JobTemplate template = application.bean(JobTemplate.class);
			ObservationRegistry registry = application.bean(TestObservationRegistry.class);
			Refusing refusing = new Refusing();
			registry.observationConfig().observationHandler(refusing);
			for (String event : List.of("start", "open", "close", "error", "stop")) {
				refusing.event = event;
				long works = template.dispatch(Works.class);
				assertThat(registry.getCurrentObservation()).as("left on the thread at " + event).isNull();
				assertThat(jobs.awaitState(works, "SUCCEEDED")).as(event).containsEntry("attempts", 1);
				Map<String, Object> dead = jobs.awaitState(template.dispatch(Fails.class), "DEAD");
				assertThat(dead.get("error_details").toString()).as(event).contains("failed").doesNotContain("refused");
			}
			assertThat(refusing.refused).containsExactlyInAnyOrder("start", "open", "close", "error", "stop");
		}
	}

	@Test
	void nothingIsObservedWhereNobodyWantsItTo(DatabaseHandle database) {
		JobTable jobs = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database,
				List.of(Registry.class, Works.class, ObservabilityConfiguration.class), "gator.observations=never ")) {
			jobs.awaitState(application.bean(JobTemplate.class).dispatch(Works.class), "SUCCEEDED");
			assertThat(application.bean(TestObservationRegistry.class)).doesNotHaveAnyObservation();
		}
	}

	@Test
	void whereOnlyMetersListenNothingIsObservedUnlessThatIsAskedFor(DatabaseHandle database) {
		JobTable jobs = JobTable.empty(database);
		List<Class<?>> beans = List.of(OnlyMeters.class, Works.class, ObservabilityConfiguration.class);
		try (TestApplication application = TestApplication.start(database, beans)) {
			jobs.awaitState(application.bean(JobTemplate.class).dispatch(Works.class), "SUCCEEDED");
			assertThat(application.bean(Metering.class).heard).isEmpty();
		}
		try (TestApplication application = TestApplication.start(database, beans, "gator.observations=always")) {
			jobs.awaitState(application.bean(JobTemplate.class).dispatch(Works.class), "SUCCEEDED");
			assertThat(application.bean(Metering.class).heard).containsExactlyInAnyOrder("gator.job.dispatch",
					"gator.job.execute");
		}
	}

	@Test
	void aHandlerThatTheApplicationHasAddedItselfIsHeard(DatabaseHandle database) {
		JobTable jobs = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database,
				List.of(OwnHandler.class, Works.class, ObservabilityConfiguration.class))) {
			jobs.awaitState(application.bean(JobTemplate.class).dispatch(Works.class), "SUCCEEDED");
			assertThat(OwnHandler.listening.heard).containsExactlyInAnyOrder("gator.job.dispatch", "gator.job.execute");
		}
	}

	@Test
	void aDispatchThatFailsIsAnError(DatabaseHandle database) {
		try (TestApplication application = TestApplication.start(database,
				List.of(Registry.class, Works.class, ObservabilityConfiguration.class))) {
			JobTemplate template = application.bean(JobTemplate.class);
			assertThatExceptionOfType(JobDispatchException.class)
				.isThrownBy(() -> template.dispatch(Works.class, "too many"));
			assertThat(application.bean(TestObservationRegistry.class))
				.hasObservationWithNameEqualTo("gator.job.dispatch")
				.that()
				.hasBeenStopped()
				.hasError();
		}
	}

	@Test
	void keysOfTheLoggingContextThatWereAskedForTravelAndOthersDoNot(DatabaseHandle database) {
		JobTable jobs = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database,
				List.of(Logs.class, ObservabilityConfiguration.class), "gator.mdc-keys=tenant,absent")) {
			Logs.seen.clear();
			MDC.put("tenant", "t".repeat(255) + "\uD83D\uDE00" + "t".repeat(100));
			MDC.put("password", "s3cr3t");
			long id;
			try {
				id = application.bean(JobTemplate.class).dispatch(Logs.class);
			}
			finally {
				MDC.clear();
			}
			jobs.awaitState(id, "SUCCEEDED");
			assertThat(Logs.seen).singleElement()
				.satisfies((context) -> assertThat(context).containsEntry("tenant", "t".repeat(255))
					.containsOnlyKeys("tenant", "jobId", "jobName", "jobQueue", "jobAttempt"));
		}
	}

	@Test
	void aKeyOfTheLoggingContextThatSomebodyWroteIntoTheRowIsCutAsWell(DatabaseHandle database) {
		JobTable jobs = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database,
				List.of(Logs.class, ObservabilityConfiguration.class), "gator.mdc-keys=tenant")) {
			assertThat(application.context().isRunning()).isTrue();
			Logs.seen.clear();
			long id = database.jdbc().sql("""
					insert into gator_job (queue, name, args, metadata)
					values ('default', 'Logs', '[]',
					        json_build_object('headers', json_build_object('mdc.tenant', repeat('t', 1000))))
					returning id
					""").query(Long.class).single();
			jobs.awaitState(id, "SUCCEEDED");
			assertThat(Logs.seen).singleElement()
				.satisfies((context) -> assertThat(context).containsEntry("tenant", "t".repeat(256)));
		}
	}

	/** As an application has it with Boot's tracing. */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ ObservationAutoConfiguration.class, MicrometerTracingAutoConfiguration.class,
			OpenTelemetrySdkAutoConfiguration.class, OpenTelemetryTracingAutoConfiguration.class })
	static class Traced {

		@Bean
		InMemorySpanExporter exporter() {
			return InMemorySpanExporter.create();
		}

		@Bean
		SpanProcessor processor(InMemorySpanExporter exporter) {
			return SimpleSpanProcessor.create(exporter);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Registry {

		@Bean
		TestObservationRegistry observations() {
			return TestObservationRegistry.create();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OnlyMeters {

		@Bean
		Metering metering() {
			return new Metering();
		}

		@Bean
		ObservationRegistry observations(Metering metering) {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(metering);
			return registry;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnHandler {

		static final Listening listening = new Listening();

		@Bean
		ObservationRegistry observations() {
			ObservationRegistry registry = ObservationRegistry.create();
			registry.observationConfig().observationHandler(listening);
			return registry;
		}

	}

	static class Listening implements ObservationHandler<Observation.Context> {

		final Queue<String> heard = new ConcurrentLinkedQueue<>();

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

		@Override
		public void onStart(Observation.Context context) {
			this.heard.add(context.getName());
		}

	}

	static final class Metering extends Listening implements MeterObservationHandler<Observation.Context> {

	}

	/** As a handler is that was not made for what it meets here. */
	static final class Refusing implements ObservationHandler<Observation.Context> {

		final Set<String> refused = ConcurrentHashMap.newKeySet();

		volatile String event = "";

		private void on(String happened) {
			if (happened.equals(this.event)) {
				this.refused.add(happened);
				Undeclared.rethrow(new IOException("refused"));
			}
		}

		@Override
		public void onStart(Observation.Context context) {
			on("start");
		}

		@Override
		public void onScopeOpened(Observation.Context context) {
			on("open");
		}

		@Override
		public void onScopeClosed(Observation.Context context) {
			on("close");
		}

		@Override
		public void onError(Observation.Context context) {
			on("error");
		}

		@Override
		public void onStop(Observation.Context context) {
			on("stop");
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return true;
		}

	}

	@Job
	static class Works {

		void handle() {
		}

	}

	@Job
	static class Followed {

		private final JobTemplate jobs;

		Followed(JobTemplate jobs) {
			this.jobs = jobs;
		}

		void handle() {
			this.jobs.dispatch(Works.class);
		}

	}

	@Job
	static class Fails {

		void handle() {
			throw new IllegalStateException("failed");
		}

	}

	@Job
	static class Snoozes {

		void handle() {
			throw new JobSnoozedException(Duration.ofHours(1));
		}

	}

	@Job
	static class Cancels {

		void handle() {
			throw new JobCancelledException("not needed");
		}

	}

	@Job
	static class Logs {

		static final Queue<Map<String, String>> seen = new ConcurrentLinkedQueue<>();

		void handle() {
			seen.add(MDC.getCopyOfContextMap());
		}

	}

}
