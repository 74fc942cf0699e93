package io.gator.fault;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.store.ClaimedJob;
import io.gator.store.GatorStores;
import io.gator.store.Settlement;
import io.gator.test.DatabaseHandle;
import io.gator.test.TestApplication;
import io.gator.test.TestDatabase;
import io.gator.worker.NotificationListener;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DelegatingDataSource;
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
		sessionsAreTerminated(Duration.ofSeconds(30), Note.class);
		assertThatThrownBy(() -> sessionsAreTerminated(Duration.ofSeconds(5), Note.class, EndingLoop.class))
			.isInstanceOf(ConditionTimeoutException.class);
	}

	private static void sessionsAreTerminated(Duration patience, Class<?>... beans) {
		try (DatabaseHandle database = TestDatabase.create();
				TestApplication application = TestApplication.start(database, List.of(beans),
						"gator.worker.shutdown-timeout=1s")) {
			assertThat(application.context().isRunning()).isTrue();
			// Claims are refused for a while, as by a server that only reads.
			database.jdbc().sql("alter table gator_job rename to gator_job_away").update();
			await().atMost(patience).until(() -> database.jdbc().sql("""
					select count(*) from pg_stat_database
					 where datname = current_database() and xact_rollback > 3
					""").query(Integer.class).single() == 1);
			database.jdbc().sql("alter table gator_job_away rename to gator_job").update();
			database.jdbc()
				.sql("insert into gator_job (queue, name, args) values ('default', 'Note', '[\"x\"]')")
				.update();
			await().atMost(patience).until(() -> count(database) == 0);
		}
	}

	@Test
	void aClaimTakesNoMoreThanWasAskedForWhateverThePlan() {
		try (DatabaseHandle database = TestDatabase.create()) {
			// What is left is to compare each row with the result of the sub-select, as
			// the planner may choose to do by itself on stale statistics.
			switchOff(database, "hashjoin", "mergejoin", "material", "memoize", "hashagg", "sort");
			noMoreThanAsked(new Rig(database));
			assertThatThrownBy(() -> noMoreThanAsked(new Rig(database, KnownBug.CLAIM_IN_SELECT_LIMIT)))
				.isInstanceOf(AssertionError.class)
				.hasMessageContaining("claimed, when three were asked for");
		}
	}

	private static void switchOff(DatabaseHandle database, String... ways) {
		for (String way : ways) {
			database.jdbc().sql("alter database " + database.name() + " set enable_" + way + " = off").update();
		}
	}

	private static void noMoreThanAsked(Rig rig) {
		rig.insert(10);
		assertThat(rig.claim(rig.pool(), 3)).as("claimed, when three were asked for").hasSize(3);
	}

	@Test
	void twoBatchesInOppositeOrderDoNotDieInADeadlock() throws Exception {
		try (DatabaseHandle database = TestDatabase.create()) {
			// As the engine sets it for its sessions. Else so small a table is read from
			// one end to the other, which is an order too.
			switchOff(database, "seqscan", "hashjoin", "mergejoin");
			oppositeOrder(database, new Rig(database));
			assertThatThrownBy(() -> oppositeOrder(database, new Rig(database, KnownBug.UNORDERED_BATCHES)))
				.hasStackTraceContaining("deadlock detected");
		}
	}

	/**
	 * Both batches hold the same rows. The row in the middle is kept from them until each
	 * has all that it can get.
	 */
	private static void oppositeOrder(DatabaseHandle database, Rig rig) throws Exception {
		rig.insert(9);
		List<Settlement.Requeued> upwards = rig.claim(rig.pool(), 9)
			.stream()
			.sorted(Comparator.comparingLong(ClaimedJob::id))
			.map(Settlement.Requeued::released)
			.toList();
		List<Settlement.Requeued> downwards = new ArrayList<>(upwards);
		Collections.reverse(downwards);
		Executor threads = (task) -> new Thread(task).start();
		CompletableFuture<Set<Long>> one;
		CompletableFuture<Set<Long>> other;
		try (Connection middle = database.createDataSource().getConnection();
				Statement statement = middle.createStatement()) {
			middle.setAutoCommit(false);
			statement.execute("select from gator_job where id = " + upwards.get(4).id() + " for update");
			one = CompletableFuture.supplyAsync(() -> rig.stores().jobs().settle(Settlement.Requeued.class, upwards),
					threads);
			await().until(() -> database.waitingForLocks() == 1);
			other = CompletableFuture
				.supplyAsync(() -> rig.stores().jobs().settle(Settlement.Requeued.class, downwards), threads);
			await().until(() -> database.waitingForLocks() == 2);
			middle.commit();
		}
		assertThat(one.get(20, TimeUnit.SECONDS)).isEmpty();
		assertThat(other.get(20, TimeUnit.SECONDS)).hasSize(9);
	}

	@Test
	void aJobThatRunsOnAtShutdownKeepsItsLeaseUntilItIsSettled() {
		runsOnAtShutdown(null);
		assertThatThrownBy(() -> runsOnAtShutdown(KnownBug.BEATS_THAT_STOP_FIRST))
			.isInstanceOf(ConditionTimeoutException.class);
	}

	private static void runsOnAtShutdown(@Nullable KnownBug bug) {
		try (DatabaseHandle database = TestDatabase.create()) {
			Thread closing;
			try (TestApplication application = TestApplication.start(database, List.of(Patient.class),
					"gator.worker.heartbeat=100ms", "gator.worker.lease=4s", "gator.worker.shutdown-timeout=20s")) {
				put(bug, application);
				insert(database, "Patient", "[]");
				Patient job = application.bean(Patient.class);
				await().until(() -> job.running.getCount() == 0);
				closing = new Thread(application::close);
				closing.start();
				try {
					// By then it would have been given to others, and been interrupted.
					await().atMost(Duration.ofSeconds((bug != null) ? 6 : 15)).until(() -> database.jdbc().sql("""
							select count(*) from gator_worker w join gator_job j on j.reserved_by = w.id
							 where w.beat_at > j.reserved_at + interval '3 seconds'
							""").query(Integer.class).single() == 1);
				}
				finally {
					job.mayEnd.countDown();
				}
			}
			assertThat(database.jdbc()
				.sql("select attempts from gator_job_history where state = 'SUCCEEDED'")
				.query(Integer.class)
				.list()).containsExactly(1);
		}
	}

	@Test
	void theOutcomeOfAHandlerThatWasInterruptedIsWritten() {
		interrupted(null);
		assertThatThrownBy(() -> interrupted(KnownBug.SETTLING_ON_THE_THREAD_OF_THE_HANDLER))
			.isInstanceOf(ConditionTimeoutException.class);
	}

	private static void interrupted(@Nullable KnownBug bug) {
		try (DatabaseHandle database = TestDatabase.create();
				TestApplication application = TestApplication.start(database,
						List.of(Interrupted.class, ConnectionsToWaitFor.class), "gator.worker.shutdown-timeout=1s")) {
			put(bug, application);
			insert(database, "Interrupted", "[]");
			await().atMost(Duration.ofSeconds((bug != null) ? 5 : 30)).until(() -> count(database) == 0);
			assertThat(database.jdbc().sql("select state from gator_job_history").query(String.class).list())
				.containsExactly("SUCCEEDED");
		}
	}

	@Test
	void aJobIsFoundThoughItsNotificationIsLost() {
		notificationIsLost(null);
		assertThatThrownBy(() -> notificationIsLost(KnownBug.NOTIFY_ALONE))
			.isInstanceOf(ConditionTimeoutException.class);
	}

	private static void notificationIsLost(@Nullable KnownBug bug) {
		try (DatabaseHandle database = TestDatabase.create();
				TestApplication application = TestApplication.start(database, List.of(Note.class),
						"gator.worker.poll-interval=200ms")) {
			put(bug, application);
			// The listener tells all pools to look when it has begun, and the sleep that
			// is going on ends with the interval it began with.
			JobTemplate jobs = application.bean(JobTemplate.class);
			await().until(() -> application.bean(NotificationListener.class).isListening());
			for (int i = 0; i < 3; i++) {
				jobs.dispatch(Note.class, "told");
				await().until(() -> count(database) == 0);
			}
			if (bug != null) {
				// A claim may be followed by a poll for jobs that were committed late.
				await().until(() -> KnownBug.pollsAreAway(application));
			}
			// Nobody is told of this one.
			insert(database, "Note", "[\"x\"]");
			await().atMost(Duration.ofSeconds(4)).until(() -> count(database) == 0);
		}
	}

	private static void put(@Nullable KnownBug bug, TestApplication application) {
		if (bug != null) {
			bug.into(application);
		}
	}

	private static void insert(DatabaseHandle database, String name, String args) {
		database.jdbc()
			.sql("insert into gator_job (queue, name, args) values ('default', ?, ?::json)")
			.params(name, args)
			.update();
	}

	/** Runs until it may end. */
	@Job
	static class Patient {

		final CountDownLatch running = new CountDownLatch(1);

		final CountDownLatch mayEnd = new CountDownLatch(1);

		void handle() throws InterruptedException {
			this.running.countDown();
			this.mayEnd.await();
		}

	}

	/** Leaves its thread interrupted. */
	@Job
	static class Interrupted {

		void handle() {
			Thread.currentThread().interrupt();
		}

	}

	/**
	 * The connections of the engine are never there at once: who asks for one waits, and
	 * who is interrupted gets none.
	 */
	@Configuration(proxyBeanMethods = false)
	static class ConnectionsToWaitFor {

		@Bean
		static BeanPostProcessor waiting() {
			return new BeanPostProcessor() {
				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					if (bean instanceof GatorStores stores) {
						Object db = Internals.get(stores.jobs(), "db");
						DataSource engine = (DataSource) Internals.get(db, "dataSource");
						Internals.set(db, "dataSource", new DelegatingDataSource(engine) {
							@Override
							public Connection getConnection() throws SQLException {
								if (Thread.currentThread().isInterrupted()) {
									throw new SQLException("Interrupted during connection acquisition");
								}
								return super.getConnection();
							}
						});
					}
					return bean;
				}
			};
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
