package io.gator.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.gator.JobAdmin;
import io.gator.JobArgs;
import io.gator.JobInfo;
import io.gator.JobState;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What processes decide together through the database: two of them work, and a third one,
 * without a pool, dispatches and administrates.
 */
@FreshDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class TwoProcessesTests {

	private final DatabaseHandle database;

	private final JdbcClient jdbc;

	private final List<WorkerProcess> workers = new ArrayList<>();

	private TestApplication console;

	private StartSignal start;

	TwoProcessesTests(DatabaseHandle database) {
		this.database = database;
		this.jdbc = database.jdbc();
	}

	@BeforeAll
	void startProcesses(@TempDir Path directory) throws Exception {
		this.console = TestApplication.start(this.database, List.of(Jobs.class), "gator.worker.enabled=false",
				"gator.fault.console=" + directory.resolve("console.journal"));
		this.start = StartSignal.hold(this.database);
		this.workers.addAll(WorkerProcess.startAll(2, directory, this.database, "gator.migrate=false",
				"gator.fault.features=true", "spring.datasource.hikari.maximum-pool-size=" + Features.THREADS,
				"spring.datasource.hikari.connection-timeout=30000"));
		WorkerProcess.awaitAllReady(this.workers);
	}

	@AfterAll
	void endProcesses() throws Exception {
		this.workers.forEach(WorkerProcess::kill);
		this.start.close();
		this.console.close();
	}

	@Test
	void aHundredThreadsThatDispatchTheSameKeysLeaveOneLiveJobEachAndAllGetItsId() throws Exception {
		this.start.give();
		await().atMost(Duration.ofSeconds(60)).until(() -> entries("RACED").count() == 2);
		assertOneJobForEachKey("ONE", Features.KEYS, "unique_key like 'one-%'");
		assertOneJobForEachKey("MANY", Features.KEYS * Features.ROUNDS, "name = 'Once'");
	}

	private void assertOneJobForEachKey(String what, int keys, String condition) {
		Map<Long, List<Long>> answers = entries(what).collect(Collectors.groupingBy((entry) -> entry.number(0),
				Collectors.mapping((entry) -> entry.number(1), Collectors.toList())));
		assertThat(answers).hasSize(keys);
		assertThat(answers.values()).allSatisfy((ids) -> {
			assertThat(ids).as("answers to all threads of both processes").hasSize(2 * Features.THREADS);
			assertThat(Set.copyOf(ids)).as("the id of one job").hasSize(1);
		});
		assertThat(this.jdbc.sql("select id from gator_job where " + condition).query(Long.class).list())
			.containsExactlyInAnyOrderElementsOf(answers.values().stream().map((ids) -> ids.get(0)).toList());
	}

	@Test
	void aJobThatRunsInAnotherProcessIsCancelledWithinTwoSeconds() {
		JobAdmin admin = this.console.bean(JobAdmin.class);
		List<Long> ids = this.console.bean(JobTemplate.class)
			.to("Hold")
			.dispatchMany(IntStream.range(0, 6).mapToObj((i) -> JobArgs.args()).toList());
		await().atMost(Duration.ofSeconds(10)).until(() -> entries("HELD").count() == 6);
		long asked = System.nanoTime();
		assertThat(ids).allMatch(admin::cancel);
		await().atMost(Duration.ofSeconds(10)).until(() -> entries("INTERRUPTED").count() == 6);
		assertThat(entries("INTERRUPTED")).allSatisfy((entry) -> {
			assertThat(entry.text(1)).as("isCancelled()").isEqualTo("true");
			assertThat(Duration.ofNanos(entry.nanos() - asked)).isLessThan(Duration.ofSeconds(2));
		});
		await().untilAsserted(() -> assertThat(ids)
			.allMatch((id) -> admin.find(id).map(JobInfo::state).orElseThrow() == JobState.CANCELLED));
	}

	@Test
	void aQueueIsPausedAndResumedInAllProcessesWithinASecond() {
		JobAdmin admin = this.console.bean(JobAdmin.class);
		List<Long> ids = this.console.bean(JobTemplate.class)
			.to(FaultWorker.Work.class)
			.queue("pausable")
			.dispatchMany(IntStream.range(0, 5_000).mapToObj((i) -> JobArgs.args(20L, false)).toList());
		Set<Long> pausable = Set.copyOf(ids);
		await().until(() -> this.workers.stream().allMatch((worker) -> starts(worker, pausable).size() > 20));
		long paused = System.nanoTime();
		admin.pause("pausable");
		await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
		long resumed = System.nanoTime();
		admin.resume("pausable");
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.jdbc.sql("select count(*) from gator_job where queue = 'pausable'")
				.query(Integer.class)
				.single() == 0);
		for (WorkerProcess worker : this.workers) {
			List<Long> starts = starts(worker, pausable);
			System.out.printf("Process %d started nothing of a paused queue after %d ms, and went on after %d ms%n",
					worker.number(),
					millis(paused, starts.stream().filter((time) -> time < resumed).reduce(paused, Math::max)),
					millis(resumed,
							starts.stream().filter((time) -> time > resumed).reduce(Long.MAX_VALUE, Math::min)));
			assertThat(starts).as("between a second after the pause and the resumption")
				.noneMatch((time) -> time > paused + TimeUnit.SECONDS.toNanos(1) && time < resumed);
			assertThat(starts).as("within a second after the resumption")
				.anyMatch((time) -> time > resumed && time < resumed + TimeUnit.SECONDS.toNanos(1));
		}
	}

	@Test
	void aBacklogOfLongJobsIsSharedEvenly() {
		Set<Long> shared = Set.copyOf(this.console.bean(JobTemplate.class)
			.to(FaultWorker.Work.class)
			.queue("shared")
			.dispatchMany(IntStream.range(0, 2_000).mapToObj((i) -> JobArgs.args(100L, false)).toList()));
		await().atMost(Duration.ofSeconds(60))
			.until(() -> this.jdbc.sql("select count(*) from gator_job where queue = 'shared'")
				.query(Integer.class)
				.single() == 0);
		List<Integer> shares = this.workers.stream().map((worker) -> starts(worker, shared).size()).toList();
		System.out.println("Of 2,000 jobs of 100 ms the two processes ran " + shares);
		assertThat(shares).allSatisfy((share) -> assertThat(share).isBetween(900, 1_100));
	}

	@Test
	void eachTickIsDispatchedAndRunOnceHoweverManyProcessesTick() {
		await().atMost(Duration.ofSeconds(20)).until(() -> entries("TICK").count() >= 6);
		// The job of a tick is made after its time and before that of the next one.
		List<Long> beats = this.jdbc.sql("""
				select floor(date_part('epoch', h.created_at - r.next_tick))::bigint
				  from gator_jobs h, gator_recurring r
				 where h.name = 'Tick' and r.name = 'Tick'
				""").query(Long.class).list();
		assertThat(beats).hasSizeGreaterThanOrEqualTo(6).doesNotHaveDuplicates();
		assertThat(entries("TICK").map((entry) -> entry.number(0))).doesNotHaveDuplicates();
	}

	private static long millis(long from, long to) {
		return TimeUnit.NANOSECONDS.toMillis(to - from);
	}

	private Stream<Journal.Entry> entries(String what) {
		return this.workers.stream().flatMap((worker) -> worker.journal(what));
	}

	private static List<Long> starts(WorkerProcess worker, Set<Long> ids) {
		return worker.journal("START")
			.filter((entry) -> ids.contains(entry.number(0)))
			.map(Journal.Entry::nanos)
			.toList();
	}

	/** What the third process dispatches, and never runs. */
	@Configuration(proxyBeanMethods = false)
	static class Jobs {

		@Bean
		Journal journal(@Value("${gator.fault.console}") Path file) {
			return new Journal(file);
		}

		@Bean
		FaultWorker.Work work(Journal journal) {
			return new FaultWorker.Work(journal);
		}

	}

}
