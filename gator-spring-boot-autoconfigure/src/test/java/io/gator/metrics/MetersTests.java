package io.gator.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.Recurring;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import io.gator.worker.AttemptOutcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsProperties;
import org.springframework.boot.micrometer.metrics.autoconfigure.PropertiesMeterFilter;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@FreshDatabase
class MetersTests {

	@Test
	void theMetersAgreeWithTheTableWithinOneRefresh(DatabaseHandle database) {
		JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database,
				List.of(Fine.class, Wrong.class, ObservabilityConfiguration.class), "gator.insight.interval=200ms",
				"gator.worker.queues.default=3", "gator.worker.queues.low=1")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			MeterRegistry registry = application.bean(MeterRegistry.class);
			jobs.dispatchMany(Fine.class, List.of(1, 2, 3, 4, 5));
			jobs.dispatch(Wrong.class);
			jobs.to(Fine.class).queue("nobody").dispatch(6);
			jobs.to(Fine.class).delay(Duration.ofHours(1)).dispatch(7);
			await().ignoreExceptions().untilAsserted(() -> {
				assertThat(executed(registry, "Fine", "succeeded").count()).isEqualTo(5);
				assertThat(executed(registry, "Wrong", "dead").count()).isEqualTo(1);
			});
			assertThat(
					registry.get("gator.jobs.dispatched").tag("name", "Fine").tag("queue", "default").counter().count())
				.isEqualTo(6);
			assertThat(registry.get("gator.jobs.wait").tag("name", "Fine").timer().count()).isEqualTo(5);
			// Sooner than after the default interval, 15 s.
			await().atMost(Duration.ofSeconds(10)).ignoreExceptions().untilAsserted(() -> {
				assertThat(jobsOn(registry, "default", "dead")).isEqualTo(1);
				assertThat(jobsOn(registry, "default", "scheduled")).isEqualTo(1);
				assertThat(jobsOn(registry, "default", "waiting")).isZero();
				assertThat(jobsOn(registry, "nobody", "waiting")).isEqualTo(1);
				assertThat(registry.get("gator.queue.oldest.age").tag("queue", "nobody").gauge().value()).isFinite()
					.isPositive();
				assertThat(
						registry.get("gator.worker.slots").tag("pool", "default").tag("state", "idle").gauge().value())
					.isEqualTo(10);
				assertThat(registry.get("gator.settles").tag("pool", "default").timer().count()).isPositive();
			});
			assertThat(registry.get("gator.claims").tag("pool", "default").timer().count()).isPositive();
			assertThat(registry.get("gator.leases.lost").counter().count()).isZero();
			assertThat(registry.get("gator.rescued").counter().count()).isZero();
			assertThat(registry.get("gator.history.deferred").functionCounter().count()).isZero();
			assertThat(registry.get("gator.table.size").gauge().value()).isFinite().isPositive();
			assertThat(registry.get("gator.table.oldest.snapshot").gauge().value()).isFinite().isNotNegative();
			// Between two refreshes the gauges of queues are registered anew.
			await().untilAsserted(() -> assertThat(((PrometheusMeterRegistry) registry).scrape())
				.contains("gator_queue_jobs{queue=\"nobody\",state=\"waiting\"} 1.0")
				.contains("# HELP gator_jobs_executed_seconds How long attempts took, with their listeners"));
		}
	}

	@Test
	void whatTheEngineDispatchesIsCountedToo(DatabaseHandle database) {
		try (TestApplication application = TestApplication.start(database,
				List.of(Fine.class, Ticks.class, ObservabilityConfiguration.class),
				"spring.main.lazy-initialization=true")) {
			MeterRegistry registry = application.bean(MeterRegistry.class);
			application.bean(JobTemplate.class).chain(Fine.class).then(Fine.class).dispatch(1);
			await().ignoreExceptions().untilAsserted(() -> {
				assertThat(registry.get("gator.jobs.dispatched").tag("name", "Fine").counter().count()).isEqualTo(2);
				assertThat(registry.get("gator.jobs.dispatched").tag("name", "Ticks").counter().count()).isPositive();
			});
		}
	}

	@Test
	void aLazyApplicationHasAllMetersAndTheAgeOfItsFiguresCountsFromTheStart(DatabaseHandle database) {
		try (TestApplication application = TestApplication.start(database,
				List.of(Fine.class, ObservabilityConfiguration.class), "spring.main.lazy-initialization=true",
				"gator.worker.enabled=false")) {
			MeterRegistry registry = application.bean(MeterRegistry.class);
			assertThat(registry.get("gator.table.size").gauge()).isNotNull();
			assertThat(registry.get("gator.insight.age").gauge().value()).isBetween(0.0, 60.0);
		}
	}

	@Test
	void aMeterWithAWrongSettingIsMissingAndTheJobsRunAllTheSame(DatabaseHandle database) {
		JobTable table = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database,
				List.of(Fine.class, Filtered.class, ObservabilityConfiguration.class),
				"management.metrics.distribution.percentiles[gator.jobs.wait]=50,99")) {
			long id = application.bean(JobTemplate.class).dispatch(Fine.class, 1);
			assertThat(table.awaitState(id, "SUCCEEDED")).containsEntry("attempts", 1);
			MeterRegistry registry = application.bean(MeterRegistry.class);
			await().ignoreExceptions()
				.untilAsserted(() -> assertThat(executed(registry, "Fine", "succeeded").count()).isOne());
			assertThat(registry.find("gator.jobs.wait").timers()).isEmpty();
		}
	}

	@Test
	void tenThousandMadeUpNamesDoNotMakeTenThousandMeters(DatabaseHandle database) {
		try (TestApplication application = TestApplication.start(database,
				List.of(Fine.class, ObservabilityConfiguration.class), "gator.insight.max-queues=5",
				"gator.worker.enabled=false")) {
			MeterRegistry registry = application.bean(MeterRegistry.class);
			EngineMeters meters = application.bean(EngineMeters.class);
			for (int i = 0; i < 10_000; i++) {
				meters.dispatched("made-up-" + i, "queue-" + i, 1);
				meters.dispatched("Fine", "queue-" + i, 1);
			}
			assertThat(registry.get("gator.jobs.dispatched").meters()).hasSizeLessThanOrEqualTo(2 * 6);
			// Queues that the figures know of have taken their names before, or have not.
			assertThat(
					registry.get("gator.jobs.dispatched").tag("name", "other").tag("queue", "other").counter().count())
				.isBetween(10_000.0 - 5, 10_000.0);
			assertThat(registry.get("gator.jobs.dispatched")
				.tag("name", "other")
				.counters()
				.stream()
				.mapToDouble(Counter::count)
				.sum()).as("none is left out").isEqualTo(10_000);
		}
	}

	/** A look-up in the registry would cost more than many a job. */
	@Test
	void onceAJobHasItsMetersItIsCountedWithoutTheRegistry() {
		MeterRegistry registry = new SimpleMeterRegistry();
		List<String> asked = new ArrayList<>();
		JobMeters meters = new JobMeters(registry, (name) -> {
			asked.add(name);
			return name;
		}, new BoundedNames(10, List.of()));
		countOne(meters);
		assertThat(registry.getMeters()).hasSize(3);
		registry.clear();
		asked.clear();
		countOne(meters);
		assertThat(registry.getMeters()).as("meters registered again").isEmpty();
		assertThat(asked).as("names looked for again").isEmpty();
	}

	private static void countOne(JobMeters meters) {
		// Each row brings strings of its own.
		JobMeters.Meters job = meters.of(new String("Fine"), new String("default"));
		job.dispatched().increment();
		job.waited().record(1, TimeUnit.MILLISECONDS);
		job.executed(AttemptOutcome.SUCCEEDED).record(1, TimeUnit.MILLISECONDS);
	}

	private static Timer executed(MeterRegistry registry, String name, String outcome) {
		return registry.get("gator.jobs.executed")
			.tag("name", name)
			.tag("queue", "default")
			.tag("outcome", outcome)
			.timer();
	}

	private static double jobsOn(MeterRegistry registry, String queue, String state) {
		return registry.get("gator.queue.jobs").tag("queue", queue).tag("state", state).gauge().value();
	}

	/** As Boot does it. */
	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(MetricsProperties.class)
	static class Filtered {

		@Bean
		SmartInitializingSingleton filterMeters(MeterRegistry registry, MetricsProperties properties) {
			return () -> registry.config().meterFilter(new PropertiesMeterFilter(properties));
		}

	}

	@Job
	static class Fine {

		void handle(int number) {
		}

	}

	@Job
	@Recurring(every = "1s")
	static class Ticks {

		void handle() {
		}

	}

	@Job
	static class Wrong {

		void handle() {
			throw new IllegalStateException("wrong");
		}

	}

}
