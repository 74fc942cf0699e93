package io.gator.worker;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobInterceptor;
import io.gator.JobListener;
import io.gator.RetryWith;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a pool says while it works, and to whom.
 */
@FreshDatabase
@ExtendWith(OutputCaptureExtension.class)
class LogLinesTests {

	private static final String SECRET = "4111-1111-1111-1111";

	@Test
	void linesNameTheJobAndItsOutcomeAndNeverAnArgument(DatabaseHandle database, CapturedOutput output) {
		JobTable jobs = JobTable.empty(database);
		long good;
		long failing;
		long dying;
		long unreadable;
		try (TestApplication application = TestApplication.start(database,
				List.of(Good.class, Failing.class, Dying.class), "logging.level.io.gator=DEBUG",
				"gator.worker.concurrency=3", "gator.worker.queues.mail=1", "gator.worker.poll-interval=50ms")) {
			assertThat(application.context().isRunning()).isTrue();
			good = jobs.insert("mail", "Good", "[\"" + SECRET + "\"]");
			failing = jobs.insert("mail", "Failing", "[\"" + SECRET + "\"]");
			dying = jobs.insert("mail", "Dying", "[\"" + SECRET + "\"]");
			unreadable = jobs.insert("mail", "Good", "[[\"" + SECRET + "\"]]");
			jobs.awaitState(good, "SUCCEEDED");
			jobs.awaitState(failing, "FAILED");
			jobs.awaitState(dying, "DEAD");
			jobs.awaitState(unreadable, "DEAD");
		}
		assertThat(output.getOut().lines())
			.anyMatch((line) -> line.contains("INFO") && line.contains("Pool default serves") && line.contains("mail")
					&& line.contains("3"))
			.anyMatch((line) -> line.contains("INFO") && line.contains("Pool default has stopped"))
			.anyMatch((line) -> line.contains("DEBUG") && line.contains("Succeeded")
					&& line.contains("job " + good + " (Good on queue mail"))
			.anyMatch((line) -> line.contains("WARN") && line.contains("Failed")
					&& line.contains("job " + failing + " (Failing on queue mail")
					&& line.matches(".*; its retry 1 is due at \\d{4}-.*"))
			.anyMatch((line) -> line.contains("ERROR") && line.contains("Dead")
					&& line.contains("job " + dying + " (Dying on queue mail"))
			.anyMatch((line) -> line.contains("ERROR") && line.contains("Dead")
					&& line.contains("job " + unreadable + " (Good on queue mail"));
		assertThat(output.getAll()).doesNotContain(SECRET);
		assertThat(jobs.count("gator_jobs where error_details like '%" + SECRET + "%'")).isZero();
	}

	@Test
	void aListenerThatThrowsChangesNothingAndAnInterceptorThatThrowsFailsTheAttempt(DatabaseHandle database,
			CapturedOutput output) {
		JobTable jobs = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database,
				List.of(Good.class, Failing.class, Dying.class, Rude.class, Counting.class, Guard.class),
				"gator.worker.poll-interval=50ms")) {
			Counting heard = application.bean(Counting.class);
			long good = jobs.insert("default", "Good", "[\"fine\"]");
			long guarded = jobs.insert("guarded", "Good", "[\"fine\"]");
			long failing = jobs.insert("default", "Failing", "[\"fine\"]");
			jobs.register("guarded");
			jobs.awaitState(good, "SUCCEEDED");
			assertThat((String) jobs.awaitState(guarded, "DEAD").get("error_details")).contains("Nobody passes");
			jobs.awaitState(failing, "FAILED");
			await().until(() -> heard.succeeded.get() == 1 && heard.failed.get() == 1 && heard.dead.get() == 1);
			assertThat(heard.started.get()).isEqualTo(3);
		}
		assertThat(output).contains("Rude");
	}

	@Job
	static class Good {

		void handle(String card) {
		}

	}

	@Job
	@RetryWith(interval = "1h")
	static class Failing {

		void handle(String card) {
			throw new IllegalStateException("no luck");
		}

	}

	@Job
	static class Dying {

		void handle(String card) {
			throw new IllegalStateException("no luck at all");
		}

	}

	static class Rude implements JobListener {

		@Override
		public void started(JobContext job) {
			throw new IllegalStateException("rude");
		}

		@Override
		public void succeeded(JobContext job) {
			throw new IllegalStateException("rude");
		}

	}

	static class Counting implements JobListener {

		final AtomicInteger started = new AtomicInteger();

		final AtomicInteger succeeded = new AtomicInteger();

		final AtomicInteger failed = new AtomicInteger();

		final AtomicInteger dead = new AtomicInteger();

		@Override
		public void started(JobContext job) {
			this.started.incrementAndGet();
		}

		@Override
		public void succeeded(JobContext job) {
			this.succeeded.incrementAndGet();
		}

		@Override
		public void failed(JobContext job, Throwable error) {
			this.failed.incrementAndGet();
		}

		@Override
		public void dead(JobContext job, Throwable error) {
			this.dead.incrementAndGet();
		}

	}

	static class Guard implements JobInterceptor {

		@Override
		public Object intercept(JobContext job, Invocation handler) throws Exception {
			if (job.queue().equals("guarded")) {
				throw new SecurityException("Nobody passes");
			}
			return handler.proceed();
		}

	}

}
