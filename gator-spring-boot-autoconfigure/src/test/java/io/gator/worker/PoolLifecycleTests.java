package io.gator.worker;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A pool that starts, stops and starts again, that waits for its jobs and that loses its
 * database.
 */
@FreshDatabase
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PoolLifecycleTests {

	private final DatabaseHandle database;

	private final JobTable jobs;

	private final JdbcClient jdbc;

	private TestApplication application;

	PoolLifecycleTests(DatabaseHandle database) {
		this.database = database;
		this.jobs = JobTable.empty(database);
		this.jdbc = database.jdbc();
	}

	@BeforeAll
	void start() {
		this.application = TestApplication.start(this.database,
				List.of(Count.class, Timed.class, Endless.class, Deaf.class), "gator.worker.poll-interval=200ms",
				"gator.worker.heartbeat=200ms", "gator.worker.lease=10s", "gator.worker.shutdown-timeout=200ms");
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@BeforeEach
	void clear() {
		this.jobs.clear();
		this.jobs.register("default");
		Count.runs.clear();
	}

	@Test
	void jobsRunExactlyOnceThoughThePoolStopsAndStartsAllTheTime() {
		this.jobs.insertMany("default", "Count", 30_000);
		for (int i = 0; i < 8; i++) {
			int seen = Count.runs.size();
			await().pollInterval(Duration.ofMillis(5))
				.until(() -> Count.runs.size() > seen || Count.runs.size() == 30_000);
			this.application.context().stop();
			// What was not started went back, uncharged; nothing is held any more.
			assertThat(this.jobs.count("gator_job where reserved_by is not null")).isZero();
			assertThat(this.jobs.count("gator_job where attempts > 0")).isZero();
			assertThat(this.jobs.count("gator_worker")).isZero();
			awaitNoThreads();
			this.application.context().start();
		}
		this.jobs.awaitEmpty();
		assertThat(Count.runs).hasSize(30_000).allSatisfy((number, runs) -> assertThat(runs.get()).isOne());
		assertThat(this.jobs.count("gator_job_history")).isEqualTo(30_000);
		assertThat(this.jobs.count("gator_dead_job")).isZero();
	}

	@Test
	void aStopThatComesAtOnceAfterAStartLeavesNothingBehind() {
		for (int i = 0; i < 20; i++) {
			this.application.context().stop();
			this.application.context().start();
		}
		this.application.context().stop();
		assertThat(this.jobs.count("gator_worker")).isZero();
		awaitNoThreads();
		this.application.context().start();
		this.jobs.insertMany("default", "Count", 10);
		this.jobs.awaitEmpty();
	}

	@Test
	void aPoolThatServesAllQueuesGoesOnAfterSomebodyHasEmptiedTheTables() {
		this.jobs.insertMany("default", "Count", 1);
		this.jobs.awaitEmpty();
		this.jobs.clear();
		this.jdbc.sql("truncate gator_worker").update();
		await("the queue is known again").until(() -> this.jobs.count("gator_queue where name = 'default'") == 1);
		this.jdbc.sql("insert into gator_job (queue, name, args) values ('default', 'Count', '[2]')").update();
		this.jobs.awaitEmpty();
		assertThat(Count.runs).containsOnlyKeys(1, 2);
	}

	@Test
	void nothingIsClaimedBeforeTheLockShowsThatThePoolLives() {
		this.application.context().stop();
		this.jdbc.sql("""
				create table claimed_unlocked as select id from gator_worker with no data;
				create function note_claim() returns trigger language plpgsql as $$ begin
				    insert into claimed_unlocked
				    select w.id from gator_worker w
				     where w.id = new.reserved_by and not w.locked
				       -- Later on it would be right to wait no longer.
				       and clock_timestamp() < w.started_at + interval '500 milliseconds';
				    return new;
				end $$;
				create trigger note_claim after update on gator_job for each row
				    when (new.reserved_by is not null) execute function note_claim();
				""").update();
		try {
			for (int i = 0; i < 5; i++) {
				this.jobs.insertMany("default", "Count", 10);
				this.application.context().start();
				this.jobs.awaitEmpty();
				this.application.context().stop();
			}
			assertThat(this.jobs.count("claimed_unlocked")).isZero();
		}
		finally {
			this.jdbc.sql("drop function note_claim() cascade; drop table claimed_unlocked").update();
			this.application.context().start();
		}
	}

	@Test
	void aJobThatOutlastsTheShutdownIsInterruptedAndGoesBackUncharged() throws Exception {
		long id = this.jobs.insert("default", "Endless", "[]");
		Endless.running.await();
		this.application.context().stop();
		assertThat(this.jobs.job(id)).containsEntry("state", "WAITING")
			.containsEntry("attempts", 0)
			.containsEntry("error_details", null);
		this.jdbc.sql("delete from gator_job where id = ?").param(id).update();
		this.application.context().start();
	}

	@Test
	void aJobThatIgnoresTheInterruptGoesBackTooAndItsLateResultChangesNothing() throws Exception {
		long id = this.jobs.insert("default", "Deaf", "[]");
		Deaf.running.await();
		this.application.context().stop();
		assertThat(this.jobs.job(id)).containsEntry("state", "WAITING").containsEntry("attempts", 0);
		Deaf.mayEnd.countDown();
		Deaf.ended.await();
		awaitNoThreads();
		assertThat(this.jobs.states(id)).containsExactly("WAITING");
		this.jdbc.sql("delete from gator_job where id = ?").param(id).update();
		this.application.context().start();
	}

	@Test
	void delayedJobsNeverStartEarlyAndSoonAfterTheirTime() {
		Map<Long, Instant> due = new HashMap<>();
		for (int i = 0; i < 40; i++) {
			this.jdbc.sql("""
					insert into gator_job (queue, name, args, next_execution_at)
					values ('default', 'Timed', '[]', now() + make_interval(secs => ?))
					returning id, next_execution_at
					""").param((150 + 37L * i) / 1e3).query((row) -> {
				due.put(row.getLong(1), row.getTimestamp(2).toInstant());
			});
		}
		this.jobs.awaitEmpty();
		assertThat(Timed.starts).hasSize(40);
		for (Map.Entry<Long, Instant> start : Timed.starts) {
			assertThat(start.getValue()).isAfterOrEqualTo(due.get(start.getKey()));
		}
		// In the order of their times, not of their ids, though ids agree here; and none
		// waited for anything but its time.
		assertThat(this.jobs.count("gator_job_history where name = 'Timed'")).isEqualTo(40);
	}

	@Test
	void theQueueMayBeBrokenForAWhileAndThePollerGoesOn(CapturedOutput output) {
		this.jdbc.sql("alter table gator_job rename to gator_job_away").update();
		try {
			await().until(() -> output.getOut().contains("Polling of pool default cannot go on"));
		}
		finally {
			this.jdbc.sql("alter table gator_job_away rename to gator_job").update();
		}
		this.jobs.insertMany("default", "Count", 10);
		this.jobs.awaitEmpty();
		assertThat(Count.runs).hasSize(10);
		// The poller says so when the jobs that it has found are running already.
		await().until(() -> output.getOut().contains("Polling of pool default works again"));
		// Once, not with each try.
		assertThat(output.getOut().split("Polling of pool default cannot go on", -1)).hasSize(2);
	}

	@Test
	void sessionsMayBeTerminatedInTheMiddleOfTheWork() {
		this.jobs.insertMany("default", "Count", 20_000);
		for (int i = 0; i < 6; i++) {
			int seen = Count.runs.size();
			await().pollInterval(Duration.ofMillis(2))
				.until(() -> Count.runs.size() > seen || Count.runs.size() == 20_000);
			this.jdbc
				.sql("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() "
						+ "and application_name = 'gator'")
				.query()
				.listOfRows();
		}
		this.jobs.awaitEmpty();
		// The answers to some settlements were lost; the rows say what became of the
		// jobs.
		assertThat(Count.runs).hasSize(20_000);
		assertThat(this.jobs.count("gator_job_history where state = 'SUCCEEDED' and name = 'Count'")).isEqualTo(20_000);
		assertThat(this.jobs.count("gator_dead_job")).isZero();
		// Identities that were given up stay until no lost claim can come any more; other
		// tests count the rows.
		this.application.context().stop();
		this.jdbc.sql("truncate gator_worker").update();
		this.application.context().start();
	}

	private static void awaitNoThreads() {
		await()
			.until(() -> TestApplication.threads("gator-default", "gator-heartbeat", "gator-upkeep", "gator-listener")
				.isEmpty());
	}

	@Job
	static class Count {

		static final Map<Integer, AtomicInteger> runs = new ConcurrentHashMap<>();

		void handle(int number) {
			runs.computeIfAbsent(number, (n) -> new AtomicInteger()).incrementAndGet();
		}

	}

	@Job
	static class Timed {

		static final Queue<Map.Entry<Long, Instant>> starts = new ConcurrentLinkedQueue<>();

		void handle(JobContext context) {
			starts.add(Map.entry(context.id(), Instant.now()));
		}

	}

	@Job
	static class Endless {

		static final CountDownLatch running = new CountDownLatch(1);

		void handle() throws InterruptedException {
			running.countDown();
			new CountDownLatch(1).await();
		}

	}

	@Job
	static class Deaf {

		static final CountDownLatch running = new CountDownLatch(1);

		static final CountDownLatch mayEnd = new CountDownLatch(1);

		static final CountDownLatch ended = new CountDownLatch(1);

		void handle() {
			running.countDown();
			while (mayEnd.getCount() > 0) {
				try {
					mayEnd.await();
				}
				catch (InterruptedException ex) {
					// Deaf, as it says.
				}
			}
			ended.countDown();
		}

	}

}
