package io.gator.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application that one of its own jobs closes.
 */
@FreshDatabase
class ClosedByItsJobTests {

	private final DatabaseHandle database;

	private final JobTable jobs;

	ClosedByItsJobTests(DatabaseHandle database) {
		this.database = database;
		this.jobs = JobTable.empty(database);
	}

	@Test
	void aJobThatClosesItsApplicationGoesBackUncharged() throws Exception {
		try (TestApplication application = TestApplication.start(this.database, List.of(Closes.class),
				"gator.worker.shutdown-timeout=200ms", "gator.worker.heartbeat=5s")) {
			long id = application.bean(JobTemplate.class).dispatch(Closes.class);
			assertThat(Closes.closed.await(20, TimeUnit.SECONDS)).isTrue();
			await().atMost(Duration.ofSeconds(20)).until(() -> TestApplication.threads("gator-").isEmpty());
			assertThat(this.jobs.job(id)).containsEntry("state", "WAITING").containsEntry("attempts", 0);
			assertThat(this.jobs.count("gator_worker")).isZero();
			assertThat(Closes.interrupted).isTrue();
		}
	}

	@Job
	static class Closes {

		static final CountDownLatch closed = new CountDownLatch(1);

		static volatile boolean interrupted;

		private final ConfigurableApplicationContext context;

		Closes(ConfigurableApplicationContext context) {
			this.context = context;
		}

		void handle() {
			this.context.close();
			interrupted = Thread.currentThread().isInterrupted();
			closed.countDown();
		}

	}

}
