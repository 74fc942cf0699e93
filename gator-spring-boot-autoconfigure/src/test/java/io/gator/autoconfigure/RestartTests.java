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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P11: an application whose pools stop and start again without an end of the process, as
 * test contexts do, also when Spring did not wait for the end of the stop.
 */
@FreshDatabase
class RestartTests {

	private final DatabaseHandle database;

	private final JobTable jobs;

	private TestApplication application;

	private ConfigurableApplicationContext context;

	private WorkerLifecycle lifecycle;

	RestartTests(DatabaseHandle database) {
		this.database = database;
		this.jobs = JobTable.empty(database);
	}

	@BeforeEach
	void start() {
		this.jobs.clear();
		this.application = TestApplication.start(this.database,
				List.of(Busy.class, Quick.class, Tool.class, LifecycleAutoConfiguration.class),
				"gator.worker.concurrency=2", "gator.worker.shutdown-timeout=1s",
				"spring.lifecycle.timeout-per-shutdown-phase=30s");
		this.context = this.application.context();
		this.lifecycle = this.application.bean(WorkerLifecycle.class);
	}

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void jobsRunAgainAfterAStop() {
		this.context.stop();
		assertThat(this.lifecycle.isRunning()).isFalse();
		this.context.start();
		assertRunsJobs();
		this.application.close();
		assertNothingRuns();
	}

	@Test
	void jobsRunAgainThoughSpringDidNotWaitForTheStop() throws Exception {
		dispatchBusy();
		springWaits(1);
		this.context.stop();
		assertThat(this.lifecycle.isRunning()).isFalse();
		this.context.start();
		assertRunsJobs();
		springWaits(30_000);
		this.application.close();
		assertNothingRuns();
	}

	@Test
	void jobsRunAgainThoughTheStopWasOnlyAskedFor() throws Exception {
		CountDownLatch stopped = new CountDownLatch(1);
		this.lifecycle.stop(stopped::countDown);
		this.lifecycle.start();
		assertThat(stopped.await(30, TimeUnit.SECONDS)).isTrue();
		assertRunsJobs();
	}

	@Test
	void aCloseWaitsForRunningHandlersThoughSpringDidNotWaitForTheStop() throws Exception {
		dispatchBusy();
		springWaits(1);
		this.context.stop();
		springWaits(30_000);
		this.application.close();
		assertThat(Busy.tool).as("a bean that the handler finds after its interrupt").isCompleted();
		assertNothingRuns();
	}

	@Test
	void aStartThatWaitsForAStopStartsNothingOnceTheApplicationCloses() throws Exception {
		dispatchBusy();
		this.lifecycle.stop(() -> {
		});
		CompletableFuture<Void> started = CompletableFuture.runAsync(this.lifecycle::start);
		this.application.close();
		assertThat(started).succeedsWithin(30, TimeUnit.SECONDS);
		this.lifecycle.start();
		assertNothingRuns();
	}

	private void dispatchBusy() throws InterruptedException {
		Busy.running = new CountDownLatch(1);
		Busy.tool = new CompletableFuture<>();
		this.application.bean(JobTemplate.class).dispatch(Busy.class);
		assertThat(Busy.running.await(30, TimeUnit.SECONDS)).isTrue();
	}

	private void springWaits(long millis) {
		this.application.bean(DefaultLifecycleProcessor.class).setTimeoutPerShutdownPhase(millis);
	}

	private void assertRunsJobs() {
		assertThat(this.lifecycle.isRunning()).isTrue();
		long id = this.application.bean(JobTemplate.class).dispatch(Quick.class);
		this.jobs.awaitState(id, "SUCCEEDED");
	}

	private void assertNothingRuns() {
		assertThat(this.lifecycle.isRunning()).isFalse();
		await().until(() -> TestApplication.threads("gator-").isEmpty());
	}

	/** Runs until it is interrupted, and uses a bean then. */
	@Job
	static class Busy {

		static volatile CountDownLatch running = new CountDownLatch(1);

		static volatile CompletableFuture<Tool> tool = new CompletableFuture<>();

		private final ObjectProvider<Tool> tools;

		Busy(ObjectProvider<Tool> tools) {
			this.tools = tools;
		}

		void handle() {
			running.countDown();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				tool.completeAsync(this.tools::getObject, Runnable::run);
			}
		}

	}

	@Job
	static class Quick {

		void handle() {
		}

	}

	@Component
	@Lazy
	static class Tool {

	}

}
