package io.gator.fault;

import java.time.Duration;
import java.util.List;

import io.gator.Job;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.DatabaseHandle;
import io.gator.test.TestApplication;
import io.gator.test.TestDatabase;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.awaitility.Awaitility.await;

/**
 * P10: a server that only reads for a while, as one does that is being replaced by
 * another, needs no restart.
 */
class P10ReadOnlyTests {

	@Test
	void theEngineWaitsForAServerThatOnlyReadsAndGoesOn() {
		try (DatabaseHandle database = TestDatabase.create();
				TestApplication application = TestApplication.start(database,
						List.of(Work.class, ObservabilityConfiguration.class), "gator.worker.heartbeat=200ms",
						"gator.worker.lease=2s")) {
			HealthIndicator health = application.bean(HealthIndicator.class);
			insert(database);
			await().until(() -> count(database, "gator_job") == 0);
			onlyReads(database, true);
			// The first answers may be those of the sessions that were ended.
			await().until(() -> status(health).equals(Status.DOWN)
					&& "reachable".equals(health.health(true).getDetails().get("database")));
			insert(database);
			// The sessions that the engine opened meanwhile only read for as long as they
			// live.
			onlyReads(database, false);
			await().atMost(Duration.ofSeconds(30)).until(() -> count(database, "gator_job") == 0);
			await().until(() -> status(health).equals(Status.UP));
			await().until(() -> count(database, "gator_job_history where state = 'SUCCEEDED' and attempts = 1") == 2);
		}
	}

	private static Status status(HealthIndicator health) {
		return java.util.Objects.requireNonNull(health.health()).getStatus();
	}

	private static void onlyReads(DatabaseHandle database, boolean on) {
		writer(database)
			.sql("alter database " + database.name() + " set default_transaction_read_only = " + (on ? "on" : "off"))
			.update();
		if (on) {
			database.jdbc().sql("""
					select count(pg_terminate_backend(pid)) from pg_stat_activity
					 where datname = current_database() and pid <> pg_backend_pid()
					""").query(Integer.class).single();
		}
	}

	/** As another process does that has found the server which can write. */
	private static void insert(DatabaseHandle database) {
		writer(database).sql("insert into gator_job (queue, name, args) values ('default', 'Work', '[]')").update();
	}

	private static JdbcClient writer(DatabaseHandle database) {
		return JdbcClient.create(database.createDataSource("default_transaction_read_only=off"));
	}

	private static int count(DatabaseHandle database, String from) {
		return database.jdbc().sql("select count(*) from " + from).query(Integer.class).single();
	}

	/** Does nothing. */
	@Job
	static class Work {

		void handle() {
		}

	}

}
