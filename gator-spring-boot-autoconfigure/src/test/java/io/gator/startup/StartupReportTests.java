package io.gator.startup;

import java.util.List;

import io.gator.Job;
import io.gator.RetryWith;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the log says of the jobs at the start.
 */
@FreshDatabase
@ExtendWith(OutputCaptureExtension.class)
class StartupReportTests {

	private static final List<Class<?>> JOBS = List.of(SendMail.class, SyncLeads.class,
			ObservabilityConfiguration.class);

	@Test
	void aJobOnAQueueThatNoPoolOfTheProcessServesIsNamed(DatabaseHandle database, CapturedOutput output) {
		start(database, "gator.worker.queues.mail=1", "gator.worker.pools.second.queues.low=1");
		assertThat(output.getOut().lines()).contains("  job SendMail on queue mail, not retried",
				"  job SyncLeads on queue marketing, not retried; no pool of this process serves this queue");
	}

	@Test
	void aQueueOfRetriesThatNoPoolOfTheProcessServesIsNamed(DatabaseHandle database, CapturedOutput output) {
		TestApplication
			.start(database, List.of(Retried.class, ObservabilityConfiguration.class), "gator.worker.queues.default=1")
			.close();
		assertThat(output.getOut().lines()).contains("  job Retried on queue default, retried up to 3 times; "
				+ "no pool of this process serves the queue of its retries, low");
	}

	@Test
	void nothingIsMissingWhereAPoolServesAllOrTheRestOrNoneServesAny(DatabaseHandle database, CapturedOutput output) {
		start(database);
		start(database, "gator.worker.queues.mail=1", "gator.worker.queues[*]=1");
		start(database, "gator.worker.queues.mail=1", "gator.worker.pools.second.queues.marketing=1");
		start(database, "gator.worker.enabled=false");
		assertThat(output.getOut().lines().filter("  job SyncLeads on queue marketing, not retried"::equals))
			.hasSize(4);
	}

	private static void start(DatabaseHandle database, String... properties) {
		TestApplication.start(database, JOBS, properties).close();
	}

	@Job(queue = "mail")
	static class SendMail {

		void handle() {
			// Never dispatched.
		}

	}

	@Job
	@RetryWith(maxRetries = 3, queue = "low")
	static class Retried {

		void handle() {
			// Never dispatched.
		}

	}

	@Job(queue = "marketing")
	static class SyncLeads {

		void handle() {
			// Never dispatched.
		}

	}

}
