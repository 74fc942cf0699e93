package io.gator.startup;

import java.util.ArrayList;
import java.util.List;

import io.gator.Job;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.BehindPooler;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The checks get what they look at from a real application. Its database is spoiled here,
 * so no other test may have it.
 */
@FreshDatabase
@ExtendWith(OutputCaptureExtension.class)
class ApplicationChecksTests {

	@Test
	void anApplicationIsWarnedOfItsServerOfItsClaimsAndOfItsShutdown(DatabaseHandle database, CapturedOutput output) {
		database.jdbc().sql("alter database " + database.name() + " set synchronous_commit = off").update();
		start(database, "gator.worker.shutdown-timeout=5s");
		assertThat(output).contains("synchronous_commit=off")
			.doesNotContain("would not use the index")
			.doesNotContain("may take");
		database.jdbc().sql("drop index gator_job_due").update();
		start(database, "gator.worker.shutdown-timeout=9s", "spring.lifecycle.timeout-per-shutdown-phase=10s");
		assertThat(output).contains("A claim would not use the index gator_job_due")
			.contains("Pool 'default' may take 13 s to end");
	}

	@Test
	void anApplicationIsToldHowItIsWokenAndWhoTakesItsConnections(DatabaseHandle database, CapturedOutput output) {
		start(database);
		assertThat(output).contains("woken by notifications and polling, 6 connections of its own at most")
			.doesNotContain("transactional jobs", "alone decides when");
		start(database, List.of(Booked.class), "gator.worker.wake-up=poll", "gator.worker.pools.other.concurrency=1",
				"spring.datasource.hikari.maximum-pool-size=3");
		assertThat(output).contains("woken by polling alone, 8 connections of its own at most",
				"transactional jobs hold theirs");
	}

	@Test
	void anApplicationIsToldOfAPoolerThatKeepsNotificationsFromIt(DatabaseHandle database, CapturedOutput output) {
		start(database, List.of(BehindPooler.Everywhere.class));
		assertThat(output).contains("woken by polling alone, 6 connections of its own at most",
				"A connection pooler such as PgBouncer stands between");
	}

	private static void start(DatabaseHandle database, String... properties) {
		start(database, List.of(), properties);
	}

	private static void start(DatabaseHandle database, List<Class<?>> more, String... properties) {
		List<Class<?>> beans = new ArrayList<>(List.of(Work.class, ObservabilityConfiguration.class));
		beans.addAll(more);
		TestApplication.start(database, beans, properties).close();
	}

	@Job
	static class Work {

		void handle() {
		}

	}

	@Job(transactional = true)
	static class Booked {

		void handle() {
		}

	}

}
