package io.gator.fault;

import java.util.List;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.TestApplication;
import io.gator.test.TestDatabase;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Bugs that others have had: the check holds without them and turns red with each.
 */
class KnownBugTests {

	@AfterAll
	static void letThreadsEnd() {
		KnownBug.testsAreOver();
	}

	@Test
	void anAttemptIsChargedWhenItIsClaimed() {
		try (DatabaseHandle database = TestDatabase.create()) {
			attemptIsCharged(new Rig(database));
			assertThatThrownBy(() -> attemptIsCharged(new Rig(database, KnownBug.CHARGING_AT_FAILURE)))
				.isInstanceOf(AssertionError.class);
		}
	}

	private static void attemptIsCharged(Rig rig) {
		long pool = rig.pool();
		rig.insert(1);
		for (int attempt = 1; attempt < 4; attempt++) {
			assertThat(rig.claim(pool, 1)).singleElement().extracting("attempts").isEqualTo(attempt);
			rig.expire(pool);
			rig.rescue();
			pool = rig.pool();
		}
	}

	@Test
	void nothingIsClaimedBeforeItsTimeByTheClockOfTheDatabase() {
		try (DatabaseHandle database = TestDatabase.create()) {
			notEarly(new Rig(database));
			assertThatThrownBy(() -> notEarly(new Rig(database, KnownBug.CLOCK_OF_THE_APPLICATION)))
				.isInstanceOf(AssertionError.class);
		}
	}

	private static void notEarly(Rig rig) {
		rig.insert(1);
		rig.jdbc().sql("update gator_job set next_execution_at = now() + interval '10 minutes'").update();
		assertThat(rig.claim(rig.pool(), 1)).isEmpty();
	}

	@Test
	void aRolledBackDispatchLeavesNothing() {
		rolledBack(List.of(Note.class));
		assertThatThrownBy(() -> rolledBack(List.of(Note.class, OtherConnection.class)))
			.isInstanceOf(AssertionError.class);
	}

	private static void rolledBack(List<Class<?>> beans) {
		try (DatabaseHandle database = TestDatabase.create();
				TestApplication application = TestApplication.start(database, beans, "gator.worker.enabled=false")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			new TransactionTemplate(application.bean(PlatformTransactionManager.class)).execute((status) -> {
				jobs.dispatch(Note.class, "one");
				jobs.dispatchMany(Note.class, List.of("two", "three"));
				assertThat(count(database)).as("seen before the commit").isZero();
				status.setRollbackOnly();
				return null;
			});
			assertThat(count(database)).isZero();
		}
	}

	private static int count(DatabaseHandle database) {
		return database.jdbc().sql("select count(*) from gator_job").query(Integer.class).single();
	}

	@Test
	void aPollerGoesOnAfterAnError() {
		sessionsAreTerminated(List.of(Note.class));
		assertThatThrownBy(() -> sessionsAreTerminated(List.of(Note.class, EndingLoop.class)))
			.isInstanceOf(ConditionTimeoutException.class);
	}

	private static void sessionsAreTerminated(List<Class<?>> beans) {
		try (DatabaseHandle database = TestDatabase.create();
				TestApplication application = TestApplication.start(database, beans,
						"gator.worker.shutdown-timeout=1s")) {
			assertThat(application.context().isRunning()).isTrue();
			// Claims are refused for a while, as by a server that only reads.
			database.jdbc().sql("alter table gator_job rename to gator_job_away").update();
			await().until(() -> database.jdbc().sql("""
					select count(*) from pg_stat_database
					 where datname = current_database() and xact_rollback > 3
					""").query(Integer.class).single() == 1);
			database.jdbc().sql("alter table gator_job_away rename to gator_job").update();
			database.jdbc()
				.sql("insert into gator_job (queue, name, args) values ('default', 'Note', '[\"x\"]')")
				.update();
			await().until(() -> count(database) == 0);
		}
	}

	/** Takes a text. */
	@Job
	static class Note {

		void handle(String text) {
		}

	}

	/** Puts the bug into the application. */
	@Configuration(proxyBeanMethods = false)
	static class OtherConnection {

		@Bean
		static BeanPostProcessor bug() {
			return KnownBug.DISPATCH_ON_ANOTHER_CONNECTION.asBean();
		}

	}

	/** Puts the bug into the application. */
	@Configuration(proxyBeanMethods = false)
	static class EndingLoop {

		@Bean
		static BeanPostProcessor bug() {
			return KnownBug.LOOP_THAT_ENDS.asBean();
		}

	}

}
