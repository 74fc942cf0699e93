package io.gator.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobContext;
import io.gator.JobTemplate;
import io.gator.QueueInfo;
import io.gator.RetryWith;
import io.gator.WorkerInfo;
import io.gator.test.BehindPooler;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * P12: no state of a session is needed, so an application may reach its database through
 * a pooler.
 */
@FreshDatabase
class PoolerTests {

	@Test
	void throughAPoolerJobsOfAllKindsRun(DatabaseHandle database) {
		JobTable table = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database,
				List.of(BehindPooler.Everywhere.class, Plain.class, Batch.class, Twice.class, Lost.class, Effect.class),
				"gator.worker.poll-interval=200ms")) {
			assertThat(application.bean(GatorEngine.class).dataSource().isBehindPooler()).isTrue();
			JobTemplate jobs = application.bean(JobTemplate.class);
			JobAdmin admin = application.bean(JobAdmin.class);
			List<Integer> numbers = IntStream.range(0, 2_500).boxed().toList();
			jobs.dispatchMany(Plain.class, numbers);
			jobs.to(Plain.class).delay(Duration.ofMillis(300)).dispatch(1);
			jobs.dispatchMany(Batch.class, numbers.subList(0, 25));
			long twice = jobs.dispatch(Twice.class);
			long lost = jobs.dispatch(Lost.class);
			long effect = jobs.dispatch(Effect.class);
			long cancelled = jobs.to(Plain.class).delay(Duration.ofDays(1)).dispatch(1);
			assertThat(admin.cancel(cancelled)).isTrue();
			table.awaitEmpty();
			assertThat(application.bean(Plain.class).runs).hasValue(2_501);
			assertThat(application.bean(Batch.class).items).hasValue(25);
			assertThat(List.of(twice, lost, effect, cancelled)).extracting((id) -> table.job(id).get("state"))
				.containsExactly("SUCCEEDED", "DEAD", "SUCCEEDED", "CANCELLED");
			assertThat(table.job(twice)).containsEntry("attempts", 2);
			assertThat(admin.queues()).extracting(QueueInfo::name).containsExactly("default");
			assertThat(admin.workers()).extracting(WorkerInfo::pool).containsExactly("default");
			assertThat(admin.retry(lost)).isTrue();
			table.awaitState(lost, "DEAD");
		}
	}

	/** Counts. */
	@Job
	static class Plain {

		final AtomicInteger runs = new AtomicInteger();

		void handle(int number) {
			this.runs.incrementAndGet();
		}

	}

	/** Counts what comes in batches. */
	@Job
	@Buffered(size = 10, maxWait = "100ms")
	static class Batch {

		final AtomicInteger items = new AtomicInteger();

		void handle(List<Integer> numbers) {
			this.items.addAndGet(numbers.size());
		}

	}

	/** Fails the first time. */
	@Job
	@RetryWith(interval = "100ms", maxRetries = 1)
	static class Twice {

		void handle(JobContext job) {
			if (job.attempt() == 1) {
				throw new IllegalStateException("the first time");
			}
		}

	}

	/** Fails each time. */
	@Job
	static class Lost {

		void handle() {
			throw new IllegalStateException("each time");
		}

	}

	/** Settles in its transaction. */
	@Job(transactional = true)
	static class Effect {

		void handle() {
		}

	}

}
