package io.gator.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.read.ListAppender;
import io.gator.Job;
import io.gator.JobState;
import io.gator.JobTemplate;
import io.gator.actuate.GatorEndpoint;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import io.gator.test.TestDatabase;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * P18: arguments never reach logs, metrics, health or error columns, nor do the values
 * that PostgreSQL quotes.
 */
@FreshDatabase
class P18CanaryTests {

	private static final String CANARY = "canary-7f3a9c";

	@Test
	void aSecretInArgumentsAndInTheDetailsOfSqlErrorsAppearsNowhere(DatabaseHandle database) {
		database.jdbc().sql("create table taken (name text primary key)").update();
		database.jdbc().sql("insert into taken values (?)").param(CANARY).update();
		Logger logger = (Logger) LoggerFactory.getLogger("io.gator");
		Level before = logger.getLevel();
		ListAppender<ILoggingEvent> lines = new ListAppender<>();
		lines.start();
		try (TestApplication application = TestApplication.start(database, List.of(Secretive.class))) {
			logger.addAppender(lines);
			logger.setLevel(Level.TRACE);
			JobTemplate jobs = application.bean(JobTemplate.class);
			jobs.dispatch(Secretive.class, CANARY, "duplicate");
			jobs.dispatch(Secretive.class, CANARY, "duplicate in a batch");
			jobs.dispatch(Secretive.class, CANARY, "ok");
			jobs.dispatch(Secretive.class, CANARY, "fail");
			database.jdbc()
				.sql("insert into gator_job (queue, name, args) values ('default', 'Secretive', json_build_object('x', ?))")
				.param(CANARY)
				.update();
			database.jdbc()
				.sql("insert into gator_job (queue, name, args) values ('default', 'Secretive', json_build_array(json_build_array(?), 1, 2))")
				.param(CANARY)
				.update();
			assertThatThrownBy(() -> jobs.dispatch(Secretive.class, CANARY, "a", "b", "c"))
				.satisfies((ex) -> assertThat(ErrorTexts.all(ex)).doesNotContain(CANARY));
			assertThatThrownBy(() -> jobs.dispatch(Secretive.class, CANARY, List.of(CANARY)))
				.satisfies((ex) -> assertThat(ErrorTexts.all(ex)).doesNotContain(CANARY));
			await().until(() -> database.jdbc()
				.sql("select (select count(*) from gator_dead_job) + (select count(*) from gator_job_history)")
				.query(Integer.class)
				.single() == 6);
			assertThat(database.jdbc().sql("select error_details from gator_dead_job").query(String.class).list())
				.hasSize(5)
				.allSatisfy((text) -> assertThat(text).doesNotContain(CANARY));
			assertThat(database.jdbc()
				.sql("select count(*) from gator_job_history h where h::text like '%" + CANARY + "%'")
				.query(Integer.class)
				.single()).isZero();
		}
		finally {
			logger.setLevel(before);
			logger.detachAppender(lines);
		}
		assertThat(lines.list).isNotEmpty();
		for (ILoggingEvent line : lines.list) {
			assertThat(line.getFormattedMessage()).doesNotContain(CANARY);
			for (IThrowableProxy error = line.getThrowableProxy(); error != null; error = error.getCause()) {
				assertThat(String.valueOf(error.getMessage())).doesNotContain(CANARY);
			}
		}
	}

	@Test
	void aSecretAppearsInNoMeterNoHealthAndNoEndpoint() {
		try (DatabaseHandle database = TestDatabase.create()) {
			database.jdbc().sql("create table taken (name text primary key)").update();
			database.jdbc().sql("insert into taken values (?)").param(CANARY).update();
			try (TestApplication application = TestApplication.start(database,
					List.of(Secretive.class, ObservabilityConfiguration.class), "gator.insight.interval=100ms",
					"management.endpoints.web.exposure.include=gator")) {
				assertThat(shown(application, database, false)).doesNotContain(CANARY);
			}
			// They are where one asked for them, so they would have been seen.
			try (TestApplication application = TestApplication.start(database,
					List.of(Secretive.class, ObservabilityConfiguration.class), "gator.insight.interval=100ms",
					"management.endpoints.web.exposure.include=gator", "gator.endpoint.show-arguments=true")) {
				assertThat(shown(application, database, true)).contains(CANARY);
			}
		}
	}

	/** All that an application shows of jobs in every state. */
	private static String shown(TestApplication application, DatabaseHandle database, boolean again) {
		JobTemplate jobs = application.bean(JobTemplate.class);
		List<Long> ids = new ArrayList<>();
		for (String what : List.of("ok", "fail", "duplicate")) {
			ids.add(jobs.dispatch(Secretive.class, CANARY, what));
		}
		for (Object args : List.of("{\"x\":\"" + CANARY + "\"}", "[[\"" + CANARY + "\"],1,2]", "\"" + CANARY + "\"")) {
			ids.add(database.jdbc()
				.sql("insert into gator_job (queue, name, args) values ('default', 'Secretive', ?::json) returning id")
				.param(args)
				.query(Long.class)
				.single());
		}
		ids.add(jobs.to(Secretive.class).delay(Duration.ofHours(1)).dispatch(CANARY, "scheduled"));
		ids.add(jobs.to(Secretive.class).queue("paused").delay(Duration.ofHours(1)).dispatch(CANARY, "paused"));
		ids.add(jobs.to("Unknown").dispatch(CANARY));
		assertThatThrownBy(() -> jobs.dispatch(Secretive.class, CANARY, "a", "b"));
		Secretive secretive = application.bean(Secretive.class);
		long running = jobs.dispatch(Secretive.class, CANARY, "wait");
		ids.add(running);
		GatorEndpoint endpoint = application.bean(GatorEndpoint.class);
		MeterRegistry registry = application.bean(MeterRegistry.class);
		StringBuilder all = new StringBuilder();
		try {
			await().until(() -> secretive.waiting.getCount() == 0 && database.jdbc()
				.sql("select count(*) from gator_dead_job")
				.query(Integer.class)
				.single() == (again ? 10 : 5));
			await().ignoreExceptions()
				.until(() -> registry.get("gator.queue.jobs")
					.tag("state", "dead")
					.gauges()
					.stream()
					.anyMatch((gauge) -> gauge.value() >= 5));
			all.append(endpoint.overview());
			for (JobState state : JobState.values()) {
				all.append(endpoint.look(state.name(), null, null, null, null));
			}
			ids.forEach((id) -> all.append(endpoint.look(Long.toString(id), null, null, null, null)));
			application.context()
				.getBeansOfType(HealthIndicator.class)
				.values()
				.forEach((health) -> all.append(health.health(true)));
			for (Meter meter : registry.getMeters()) {
				all.append(meter.getId()).append(meter.getId().getDescription()).append(meter.measure());
			}
			all.append(((PrometheusMeterRegistry) registry).scrape());
			all.append(database.jdbc()
				.sql("select i::text from gator_insight i union all select w::text from gator_worker w")
				.query(String.class)
				.list());
		}
		finally {
			secretive.mayEnd.countDown();
		}
		assertThat(all.toString()).contains("gator_jobs_executed_seconds", "lastBeat", "Secretive", "recurring",
				"No pool knows a job named 'Unknown'");
		return all.toString();
	}

	/** Has a secret among its arguments. */
	@Job
	static class Secretive {

		final CountDownLatch waiting = new CountDownLatch(1);

		final CountDownLatch mayEnd = new CountDownLatch(1);

		private final JdbcTemplate jdbc;

		Secretive(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		void handle(String secret, String what) throws InterruptedException {
			if (what.equals("wait")) {
				this.waiting.countDown();
				this.mayEnd.await();
			}
			if (what.equals("duplicate")) {
				this.jdbc.update("insert into taken values (?)", secret);
			}
			if (what.equals("duplicate in a batch")) {
				this.jdbc.batchUpdate("insert into taken values (?)", List.<Object[]>of(new Object[] { secret }));
			}
			if (what.equals("fail")) {
				throw new IllegalStateException("without the secret");
			}
		}

	}

	/** All texts of an exception. */
	static final class ErrorTexts {

		private ErrorTexts() {
		}

		static String all(Throwable error) {
			StringBuilder text = new StringBuilder();
			for (Throwable cause = error; cause != null; cause = cause.getCause()) {
				text.append(cause).append('\n');
			}
			return text.toString();
		}

	}

}
