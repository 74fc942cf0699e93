package io.gator.startup;

import java.util.List;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.Recurring;
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
		assertThat(output.getOut()).contains("Gator: 2 jobs, schema version ");
	}

	@Test
	void aQueueOfRetriesThatNoPoolOfTheProcessServesIsNamed(DatabaseHandle database, CapturedOutput output) {
		TestApplication
			.start(database, List.of(Retried.class, ObservabilityConfiguration.class), "gator.worker.queues.default=1")
			.close();
		assertThat(output.getOut().lines()).contains("  job Retried on queue default, retried up to 3 times; "
				+ "no pool of this process serves the queue of its retries, low");
		assertThat(output.getOut()).contains("Gator: 1 job, schema version ");
	}

	@Test
	void theRulesOfEachJobAndTheQueuesOfEachPoolAreSaid(DatabaseHandle database, CapturedOutput output) {
		TestApplication
			.start(database, List.of(Everything.class, Endless.class, Collect.class, ObservabilityConfiguration.class),
					"gator.worker.queues[*]=3", "gator.worker.pools.narrow.concurrency=1",
					"gator.worker.pools.narrow.queue-order=strict", "gator.worker.pools.narrow.queues.first=2")
			.close();
		assertThat(output.getOut().lines()).containsSubsequence(
				"  job Collect on queue default, not retried, in batches of 50",
				"  job Endless on queue default, retried without limit, recurring every PT1H",
				"  job Everything (also Older) on queue default, retried once, recurring at 0 0 3 * * *, transactional",
				"  pool default: 10 slots, queues by weight *=3", "  pool narrow: 1 slot, queues in this order first");
	}

	@Test
	void poolsThatAreNotToListenOrCannotBehindAPoolerFindJobsByPollingAlone() {
		assertThat(report(true, false)).contains("schema version unknown, PostgreSQL 18.6, woken by notifications and");
		assertThat(report(false, false)).contains("woken by polling alone");
		assertThat(report(true, true)).contains("woken by polling alone");
	}

	private static String report(boolean listens, boolean pooled) {
		TestFacts facts = new TestFacts();
		facts.schemaVersion = null;
		facts.listens = listens;
		facts.pooled = pooled;
		return StartupReport.of(List.of(), facts.build());
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

	@Job(aliases = "Older", transactional = true)
	@Recurring(cron = "0 0 3 * * *")
	@RetryWith(maxRetries = 1)
	static class Everything {

		void handle() {
			// Never dispatched.
		}

	}

	@Job
	@Recurring(every = "1h")
	@RetryWith(maxRetries = RetryWith.UNLIMITED)
	static class Endless {

		void handle() {
			// Never dispatched.
		}

	}

	@Job
	@Buffered(size = 50)
	static class Collect {

		void handle(List<Integer> numbers) {
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
