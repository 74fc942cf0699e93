package io.gator.fault;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.RetryWith;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import io.gator.test.TestDatabase;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P10: what is broken in the database while it answers is shown, and needs no restart
 * when it is set right.
 */
@FreshDatabase
class P10BrokenTableTests {

	@Test
	void aPoolThatCannotClaimIsDownUntilItCan(DatabaseHandle database) {
		try (TestApplication application = TestApplication.start(database,
				List.of(P10ReadOnlyTests.Work.class, ObservabilityConfiguration.class),
				"gator.worker.poll-interval=50ms")) {
			HealthIndicator health = application.bean(HealthIndicator.class);
			JobTable jobs = JobTable.empty(database);
			jobs.awaitState(application.bean(JobTemplate.class).dispatch(P10ReadOnlyTests.Work.class), "SUCCEEDED");
			await().until(() -> status(health).equals(Status.UP));
			database.jdbc().sql("alter table gator_job rename to gator_job_away").update();
			await().until(() -> status(health).equals(Status.DOWN));
			database.jdbc().sql("alter table gator_job_away rename to gator_job").update();
			await().until(() -> status(health).equals(Status.UP));
			jobs.awaitState(application.bean(JobTemplate.class).dispatch(P10ReadOnlyTests.Work.class), "SUCCEEDED");
		}
	}

	@Test
	void aPoolThatCannotBeatIsDownAndBurnsNoAttempts() {
		try (DatabaseHandle database = TestDatabase.create();
				TestApplication application = TestApplication.start(database,
						List.of(Endless.class, ObservabilityConfiguration.class), "gator.worker.heartbeat=500ms",
						"gator.worker.lease=6s")) {
			HealthIndicator health = application.bean(HealthIndicator.class);
			long id = application.bean(JobTemplate.class).dispatch(Endless.class);
			await().until(() -> attempts(database, id) == 1);
			// Pools can register without it.
			database.jdbc().sql("alter table gator_worker rename busy to busy_away").update();
			await().until(() -> status(health).equals(Status.DOWN));
			await().until(() -> database.jdbc()
				.sql("select reserved_by is null from gator_job where id = ?")
				.param(id)
				.query(Boolean.class)
				.single());
			long registered = registrations(database);
			await().until(() -> registrations(database) >= registered + 3);
			assertThat(attempts(database, id)).isOne();
			assertThat(status(health)).isEqualTo(Status.DOWN);
			assertThat(database.jdbc().sql("select count(*) from gator_worker").query(Integer.class).single())
				.as("that of the identity it has lost, and of the one that it tries")
				.isLessThanOrEqualTo(2);
			database.jdbc().sql("alter table gator_worker rename busy_away to busy").update();
			await().until(() -> attempts(database, id) == 2);
			await().until(() -> status(health).equals(Status.UP));
		}
	}

	@Test
	void aPoolWhoseClaimsHangIsDownAfterHalfItsLease(DatabaseHandle database) throws SQLException {
		try (TestApplication application = TestApplication.start(database,
				List.of(P10ReadOnlyTests.Work.class, ObservabilityConfiguration.class),
				"gator.worker.poll-interval=50ms", "gator.worker.heartbeat=500ms", "gator.worker.lease=4s");
				Connection other = database.createDataSource().getConnection();
				Statement statement = other.createStatement()) {
			HealthIndicator health = application.bean(HealthIndicator.class);
			await().until(() -> status(health).equals(Status.UP));
			other.setAutoCommit(false);
			statement.execute("lock table gator_job in access exclusive mode");
			// Its statements may take ten seconds until they fail.
			await().atMost(Duration.ofSeconds(6)).until(() -> status(health).equals(Status.DOWN));
			other.rollback();
			await().until(() -> status(health).equals(Status.UP));
		}
	}

	private static int attempts(DatabaseHandle database, long id) {
		return database.jdbc()
			.sql("select attempts from gator_job where id = ?")
			.param(id)
			.query(Integer.class)
			.single();
	}

	private static long registrations(DatabaseHandle database) {
		return database.jdbc()
			.sql("select last_value from pg_sequences where sequencename = 'gator_worker_id_seq'")
			.query(Long.class)
			.single();
	}

	private static Status status(HealthIndicator health) {
		return Objects.requireNonNull(health.health()).getStatus();
	}

	/** Runs until it is interrupted. */
	@Job
	@RetryWith(maxRetries = 5)
	static class Endless {

		void handle() throws InterruptedException {
			new CountDownLatch(1).await();
		}

	}

}
