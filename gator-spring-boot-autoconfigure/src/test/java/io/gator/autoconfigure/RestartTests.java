package io.gator.autoconfigure;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application that is started again while its stop goes on, because a handler ignores
 * its interrupt.
 */
@FreshDatabase
class RestartTests {

	private final DatabaseHandle database;

	private final JobTable jobs;

	private TestApplication application;

	RestartTests(DatabaseHandle database) {
		this.database = database;
		this.jobs = JobTable.empty(database);
	}

	@BeforeEach
	void startWithAJobThatIsDeaf() throws Exception {
		this.jobs.clear();
		Deaf.running = new CountDownLatch(1);
		Deaf.mayEnd = new CountDownLatch(1);
		this.application = TestApplication.start(this.database,
				List.of(Deaf.class, Quick.class, LifecycleAutoConfiguration.class), "gator.worker.concurrency=2",
				"gator.worker.shutdown-timeout=50ms", "spring.lifecycle.timeout-per-shutdown-phase=100ms");
		this.application.bean(JobTemplate.class).dispatch(Deaf.class);
		assertThat(Deaf.running.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@AfterEach
	void stop() {
		Deaf.mayEnd.countDown();
		this.application.close();
	}

	@Test
	void jobsRunAgainThoughSpringDidNotWaitForTheStop() {
		this.application.context().stop();
		assertThat(this.application.bean(WorkerLifecycle.class).isRunning()).isFalse();
		this.application.context().start();
		assertRunsJobs();
	}

	@Test
	void jobsRunAgainThoughTheStopHadNotBegun() throws Exception {
		WorkerLifecycle lifecycle = this.application.bean(WorkerLifecycle.class);
		CountDownLatch stopped = new CountDownLatch(1);
		lifecycle.stop(stopped::countDown);
		assertThat(lifecycle.isRunning()).isFalse();
		lifecycle.start();
		assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
		assertRunsJobs();
	}

	private void assertRunsJobs() {
		assertThat(this.application.bean(WorkerLifecycle.class).isRunning()).isTrue();
		long id = this.application.bean(JobTemplate.class).dispatch(Quick.class);
		this.jobs.awaitState(id, "SUCCEEDED");
	}

	@Job
	static class Deaf {

		static volatile CountDownLatch running = new CountDownLatch(1);

		static volatile CountDownLatch mayEnd = new CountDownLatch(1);

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
		}

	}

	@Job
	static class Quick {

		void handle() {
		}

	}

}
