package io.gator.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.JobTemplate;
import io.gator.Recurring;
import io.gator.RetryWith;
import io.gator.actuate.GatorEndpoint;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.maintenance.HistoryPruner;
import io.gator.maintenance.Rescuer;
import io.gator.store.Migration;
import io.gator.test.DatabaseHandle;
import io.gator.test.TestApplication;
import io.gator.test.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P17: where somebody else migrates, a role suffices that may select, insert, update and
 * delete, and nothing else.
 */
@ExtendWith(OutputCaptureExtension.class)
class P17RuntimeRoleTests {

	@Test
	void aRoleThatMayOnlyReadAndWriteRowsSuffices(CapturedOutput output) throws IOException {
		try (DatabaseHandle database = TestDatabase.create()) {
			new Migration(database.createDataSource(), "public", true).afterPropertiesSet();
			String role = "runtime_of_" + database.name();
			database.jdbc().sql("""
					create role %1$s login password 'runtime' nosuperuser nocreatedb nocreaterole;
					revoke all on database %2$s from public;
					revoke all on schema public from public;
					grant connect on database %2$s to %1$s;
					""".formatted(role, database.name())).update();
			database.jdbc().sql(grants().replace(" to app;", " to " + role + ";")).update();
			try (TestApplication application = TestApplication.start(database,
					List.of(Fine.class, Broken.class, Tick.class, Batch.class, ObservabilityConfiguration.class),
					"spring.datasource.username=" + role, "spring.datasource.password=runtime", "gator.migrate=false",
					"gator.insight.interval=200ms", "gator.history.retention=1ms",
					"management.endpoints.web.exposure.include=gator")) {
				doAllThereIs(database, application);
			}
			finally {
				database.jdbc().sql("drop owned by " + role + "; drop role " + role).update();
			}
		}
		assertThat(output).contains("Dead: job").doesNotContain("42501").doesNotContain("permission denied");
	}

	/** As the manual has them. */
	private static String grants() throws IOException {
		String manual = Files.readString(Path.of("../docs/operations.md"));
		String section = manual.substring(manual.indexOf("## The database role"));
		String begin = "```sql\n";
		String grants = section.substring(section.indexOf(begin) + begin.length());
		return grants.substring(0, grants.indexOf("```"));
	}

	private static void doAllThereIs(DatabaseHandle database, TestApplication application) {
		assertThat(database.jdbc()
			.sql("select distinct usename::text from pg_stat_activity"
					+ " where datname = current_database() and pid <> pg_backend_pid() and usename is not null")
			.query(String.class)
			.list()).as("all sessions are of that role").containsExactly("runtime_of_" + database.name());
		JobTemplate jobs = application.bean(JobTemplate.class);
		JobAdmin admin = application.bean(JobAdmin.class);
		jobs.dispatch(Fine.class, 1);
		jobs.dispatchMany(Fine.class, java.util.Collections.nCopies(5_000, 2));
		jobs.to(Fine.class).queue("new").uniqueKey("key").delay(Duration.ofMillis(10)).dispatch(3);
		jobs.chain(Fine.class).then(Fine.class).onError(Fine.class).dispatch(4);
		jobs.dispatchMany(Batch.class, List.of(1, 2, 3));
		long dead = jobs.dispatch(Broken.class);
		long retried = jobs.dispatch(Broken.class);
		long cancelled = jobs.to(Fine.class).delay(Duration.ofHours(1)).dispatch(5);
		assertThat(admin.cancel(cancelled)).isTrue();
		await().until(() -> count(database, "gator_dead_job") == 2);
		assertThat(admin.discard(dead)).isTrue();
		assertThat(admin.retry(retried)).isTrue();
		admin.pause("new");
		admin.resume("new");
		await().until(() -> count(database, "gator_job") == 0);
		await().until(() -> count(database, "gator_job_history where name = 'Tick'") > 0);
		await().until(() -> !admin.list(JobQuery.of(JobState.SUCCEEDED)).isEmpty());
		assertThat(admin.retryAll(JobQuery.of(JobState.DEAD))).isOne();
		await().until(() -> count(database, "gator_dead_job") == 1);
		assertThat(admin.discardAll(JobQuery.of(JobState.DEAD))).isOne();
		assertThat(admin.queues()).isNotEmpty();
		assertThat(admin.workers()).hasSize(1);
		assertThat(admin.recurring()).hasSize(1);
		application.bean(Rescuer.class).runThoroughly();
		application.bean(HistoryPruner.class).runOnce();
		GatorEndpoint endpoint = application.bean(GatorEndpoint.class);
		await().untilAsserted(() -> assertThat(endpoint.overview()).extractingByKey("ageSeconds").isNotNull());
		assertThat(endpoint.look("waiting", null, null, null, null)).containsKey("jobs");
		assertThat(java.util.Objects.requireNonNull(application.bean(HealthIndicator.class).health()).getStatus())
			.isEqualTo(Status.UP);
	}

	private static int count(DatabaseHandle database, String from) {
		return database.jdbc().sql("select count(*) from " + from).query(Integer.class).single();
	}

	/** Takes a number. */
	@Job
	static class Fine {

		int handle(int number) {
			return number;
		}

	}

	/** Fails, is tried again, and fails. */
	@Job
	@RetryWith(interval = "10ms", maxRetries = 1)
	static class Broken {

		void handle() {
			throw new IllegalStateException("on purpose");
		}

	}

	/** Comes again and again. */
	@Job
	@Recurring(every = "500ms")
	static class Tick {

		void handle() {
		}

	}

	/** Takes several numbers. */
	@Job
	@Buffered(size = 3, maxWait = "100ms")
	static class Batch {

		void handle(List<Integer> numbers) {
		}

	}

}
