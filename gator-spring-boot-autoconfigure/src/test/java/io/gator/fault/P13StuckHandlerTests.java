package io.gator.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.RetryWith;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P13: handlers that never return and ignore interrupts do not starve the others, nor do
 * they eat threads without end.
 */
@FreshDatabase
@ExtendWith(OutputCaptureExtension.class)
class P13StuckHandlerTests {

	@Test
	void aSlotWhoseHandlerIgnoresItsTimeoutIsReplacedAndReportedUpToALimit(DatabaseHandle database,
			CapturedOutput output) {
		JobTable table = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database,
				List.of(Deaf.class, Quick.class, ObservabilityConfiguration.class), "gator.worker.concurrency=2")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			HealthIndicator health = application.bean(HealthIndicator.class);
			Deaf deaf = application.bean(Deaf.class);
			try {
				jobs.dispatch(Deaf.class);
				jobs.dispatch(Deaf.class);
				await().until(() -> deaf.running.get() == 2);
				long quick = jobs.dispatch(Quick.class);
				// All slots are taken, until they are replaced.
				table.awaitState(quick, "SUCCEEDED");
				await().until(() -> details(health).contains("stuck=2"));
				jobs.dispatch(Deaf.class);
				jobs.dispatch(Deaf.class);
				await().until(() -> deaf.running.get() == 4);
				// Two slots more than were asked for, and none in place of these.
				await().until(() -> reports(output) >= 4);
				assertThat(slots(application)).isEqualTo(4);
				assertThat(details(health)).contains("stuck=2", "busy=2");
				long late = jobs.dispatch(Quick.class);
				await().during(Duration.ofSeconds(1)).until(() -> !table.states(late).contains("SUCCEEDED"));
				// Each is reported once.
				assertThat(reports(output)).isEqualTo(4);
				deaf.mayEnd.countDown();
				table.awaitState(late, "SUCCEEDED");
			}
			finally {
				deaf.mayEnd.countDown();
			}
			await().until(() -> table.count("gator_dead_job where error_details like '%JobTimeoutException%'") == 4);
			await().until(() -> slots(application) == 2);
			assertThat(details(health)).doesNotContain("stuck");
		}
	}

	private static long reports(CapturedOutput output) {
		return output.getOut()
			.lines()
			.filter((line) -> line.matches(".* The handler of job \\d+ .* ignores .*"))
			.count();
	}

	/** How many slots there are, those that were replaced among them. */
	private static int slots(TestApplication application) {
		Object pools = application.context().getBean("gatorWorkerPools");
		Object pool = ((List<?>) Internals.get(pools, "all")).get(0);
		return ((List<?>) Internals.get(Internals.get(Internals.get(pool, "run"), "slots"), "slots")).size();
	}

	private static String details(HealthIndicator health) {
		return String.valueOf(java.util.Objects.requireNonNull(health.health(true)).getDetails());
	}

	/** Hears nothing. */
	@Job(timeout = "100ms")
	@RetryWith(maxRetries = 0)
	static class Deaf {

		final AtomicInteger running = new AtomicInteger();

		final CountDownLatch mayEnd = new CountDownLatch(1);

		void handle() {
			this.running.incrementAndGet();
			while (this.mayEnd.getCount() > 0) {
				try {
					this.mayEnd.await();
				}
				catch (InterruptedException ex) {
					// It goes on.
				}
			}
		}

	}

	/** Needs a slot. */
	@Job
	static class Quick {

		void handle() {
		}

	}

}
