package io.gator.autoconfigure;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Each pool may take its whole shutdown timeout, and Spring waits only once: pools that
 * stopped one after the other would leave no time for the last.
 */
@FreshDatabase
class PoolsStopTogetherTests {

	/** In both directions, as one of the pools would be the first of a row. */
	@ParameterizedTest
	@CsvSource({ "default, other", "other, default" })
	void aPoolThatWaitsForItsHandlersKeepsNoOtherOneFromStopping(String waiting, String idle, DatabaseHandle database)
			throws Exception {
		JobTable table = JobTable.empty(database);
		Patient.running = new CountDownLatch(1);
		Patient.released = new CountDownLatch(1);
		try (TestApplication application = TestApplication.start(database, List.of(Patient.class),
				"gator.worker.queues.default=1", "gator.worker.pools.other.queues.other=1",
				"gator.worker.shutdown-timeout=2m", "spring.lifecycle.timeout-per-shutdown-phase=3m")) {
			long id = application.bean(JobTemplate.class).to(Patient.class).queue(waiting).dispatch();
			assertThat(Patient.running.await(30, TimeUnit.SECONDS)).isTrue();
			CompletableFuture<Void> closed = CompletableFuture.runAsync(application::close);
			try {
				await().until(() -> TestApplication.threads("gator-" + idle).isEmpty());
				assertThat(TestApplication.threads("gator-" + waiting)).as("the pool with the handler").isNotEmpty();
			}
			finally {
				Patient.released.countDown();
			}
			assertThat(closed).succeedsWithin(30, TimeUnit.SECONDS);
			assertThat(table.awaitState(id, "SUCCEEDED")).containsEntry("attempts", 1);
		}
	}

	@Job
	static class Patient {

		static volatile CountDownLatch running = new CountDownLatch(1);

		static volatile CountDownLatch released = new CountDownLatch(1);

		void handle() throws InterruptedException {
			running.countDown();
			released.await();
		}

	}

}
