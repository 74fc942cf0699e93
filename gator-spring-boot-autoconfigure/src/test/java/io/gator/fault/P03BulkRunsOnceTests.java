package io.gator.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P3: no job is lost or dropped; and where nothing fails, none runs twice. Two processes
 * with a pool each share a hundred thousand jobs that were dispatched at once. The runs
 * are counted in the journals of the processes, where a second one would be seen.
 */
@FreshDatabase
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class P03BulkRunsOnceTests {

	private static final int JOBS = 100_000;

	private final List<WorkerProcess> workers = new ArrayList<>();

	@Test
	void aHundredThousandJobsDispatchedAtOnceAllRunExactlyOnceInTwoProcesses(DatabaseHandle database,
			@TempDir Path directory) {
		try (TestApplication producer = TestApplication.start(database, List.of(Beans.class),
				"gator.worker.enabled=false", "gator.fault.producer=" + directory.resolve("producer.journal"))) {
			this.workers.addAll(WorkerProcess.startAll(2, directory, database, "gator.migrate=false"));
			WorkerProcess.awaitAllReady(this.workers);
			long start = System.nanoTime();
			List<Long> ids = producer.bean(JobTemplate.class)
				.dispatchMany(FaultWorker.Note.class, IntStream.range(0, JOBS).boxed().toList());
			long dispatched = System.nanoTime();
			JdbcClient jdbc = database.jdbc();
			await().atMost(Duration.ofMinutes(2))
				.pollInterval(Duration.ofMillis(100))
				.until(() -> jdbc.sql("select count(*) from gator_job").query(Integer.class).single() == 0);
			long done = System.nanoTime();
			endWorkers();
			assertThat(jdbc.sql("select count(*) from gator_job_history where state = 'SUCCEEDED' and attempts = 1")
				.query(Integer.class)
				.single()).isEqualTo(JOBS);
			assertEachRanOnce(ids);
			System.out.printf("P3 %d jobs dispatched in %d ms, run once each %d ms later, by process: %s%n", JOBS,
					TimeUnit.NANOSECONDS.toMillis(dispatched - start), TimeUnit.NANOSECONDS.toMillis(done - dispatched),
					this.workers.stream().map((worker) -> runs(worker).size()).toList());
		}
		finally {
			this.workers.forEach(WorkerProcess::kill);
		}
	}

	private void endWorkers() {
		this.workers.forEach(WorkerProcess::terminate);
		assertThat(this.workers).allMatch((worker) -> worker.awaitEnd(30));
	}

	private void assertEachRanOnce(List<Long> ids) {
		assertThat(ids).hasSize(JOBS).doesNotHaveDuplicates();
		Map<Long, Integer> numbers = new HashMap<>();
		for (int number = 0; number < JOBS; number++) {
			numbers.put(ids.get(number), number);
		}
		Map<Long, Integer> times = new HashMap<>();
		List<String> wrong = new ArrayList<>();
		for (WorkerProcess worker : this.workers) {
			List<Journal.Entry> runs = runs(worker);
			assertThat(runs).as("jobs of process " + worker.number()).hasSizeGreaterThan(JOBS / 100);
			for (Journal.Entry run : runs) {
				times.merge(run.number(0), 1, Integer::sum);
				if (!Long.valueOf(run.number(1)).equals(numbers.getOrDefault(run.number(0), -1).longValue())) {
					wrong.add("job " + run.number(0) + " ran with " + run.number(1));
				}
			}
		}
		ids.stream()
			.filter((id) -> times.getOrDefault(id, 0) != 1)
			.forEach((id) -> wrong.add("job " + id + " ran " + times.getOrDefault(id, 0) + " times"));
		assertThat(wrong.stream().limit(20)).as(wrong.size() + " wrong").isEmpty();
		assertThat(times).hasSize(JOBS);
	}

	private static List<Journal.Entry> runs(WorkerProcess worker) {
		return worker.journal("RAN").toList();
	}

	/** What the producer knows: the job, which never runs there. */
	@Configuration(proxyBeanMethods = false)
	static class Beans {

		@Bean
		Journal journal(@Value("${gator.fault.producer}") Path file) {
			return new Journal(file);
		}

		@Bean
		FaultWorker.Note note(Journal journal) {
			return new FaultWorker.Note(journal);
		}

	}

}
