package io.gator.actuate;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobContext;
import io.gator.JobInfo;
import io.gator.JobSnoozedException;
import io.gator.JobTemplate;
import io.gator.Recurring;
import io.gator.RecurringInfo;
import io.gator.RetryWith;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.routing.Routes;
import io.gator.store.TestClock;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the endpoint shows.
 */
@FreshDatabase
class GatorEndpointTests {

	private static final String[] PROPERTIES = { "gator.insight.interval=100ms", "gator.worker.concurrency=1",
			"gator.worker.queues.default=3", "gator.worker.queues.low=1", "gator.worker.heartbeat=100ms",
			"gator.worker.prefetch=0ms", "management.endpoints.web.exposure.include=gator",
			"management.endpoints.jmx.exposure.include=gator" };

	private final DatabaseHandle database;

	private final JobTable table;

	GatorEndpointTests(DatabaseHandle database) {
		this.database = database;
		this.table = JobTable.empty(database);
		// A pool that stood still when it stopped leaves its row.
		database.jdbc().sql("truncate gator_worker").update();
	}

	@Test
	void aJobThatFailedIsToldToWaitForItsRetry() {
		try (TestApplication application = start()) {
			long id = application.bean(JobTemplate.class).dispatch(Retried.class);
			this.table.awaitState(id, "FAILED");
			assertThat(why(application, id)).singleElement()
				.asString()
				.startsWith("It has failed before and is due in 59");
		}
	}

	@Test
	void aJobThatWasSnoozedAfterAFailureIsNotToldToWaitForARetry() {
		try (TestApplication application = TestApplication.start(this.database,
				List.of(Snoozing.class, ObservabilityConfiguration.class), PROPERTIES)) {
			long id = application.bean(JobTemplate.class).dispatch(Snoozing.class);
			await().untilAsserted(() -> assertThat(why(application, id)).singleElement()
				.asString()
				.startsWith("It has failed before and is due in 59 min"));
			this.table.awaitState(id, "FAILED");
		}
	}

	@Test
	void aJobThatDiedIsToldSo() {
		try (TestApplication application = start()) {
			long id = application.bean(JobTemplate.class).dispatch(Broken.class, "x");
			this.table.awaitState(id, "DEAD");
			assertThat(why(application, id)).singleElement()
				.asString()
				.startsWith("It died at 20")
				.contains("after 1 attempt,");
		}
	}

	@Test
	void aJobThatRunsIsToldWhoHasReservedItAndAfterwardsThatItSucceeded() {
		try (TestApplication application = start()) {
			long id = application.bean(JobTemplate.class).dispatch(Block.class);
			this.table.awaitState(id, "RUNNING");
			assertThat(why(application, id)).singleElement()
				.asString()
				.startsWith("It is claimed by pool 'default' (process " + ProcessHandle.current().pid())
				.contains("whose last beat was")
				.endsWith("ms ago.");
			application.bean(Block.class).free.countDown();
			this.table.awaitState(id, "SUCCEEDED");
			assertThat(why(application, id)).singleElement().asString().startsWith("It succeeded at 20");
		}
	}

	@Test
	void aJobBehindOthersIsToldWhatTheSlotsAreBusyWithAndHowManyAreBeforeIt() {
		try (TestApplication application = start()) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			this.table.awaitState(jobs.dispatch(Block.class), "RUNNING");
			long next = jobs.dispatch(Block.class);
			// The pool tells with its beat how many of its slots are busy.
			await().untilAsserted(() -> assertThat(why(application, next))
				.contains("All slots of the pools that could run it are busy with Block (1)."));
			long far = jobs.dispatch(Block.class);
			assertThat(why(application, far)).contains("About 1 job of its queue is ahead of it.");
			application.bean(Block.class).free.countDown();
		}
	}

	@Test
	void aDelayedJobIsToldWhenItIsDue() {
		try (TestApplication application = start()) {
			long id = application.bean(JobTemplate.class).to(Block.class).delay(Duration.ofDays(3)).dispatch();
			assertThat(why(application, id)).singleElement().asString().startsWith("It is due in 2 days, at 20");
		}
	}

	@Test
	void aJobOnAQueueThatNobodyServesIsToldWhichAreServed() {
		try (TestApplication application = start()) {
			long id = application.bean(JobTemplate.class).to(Block.class).queue("nobody").dispatch();
			assertThat(why(application, id)).singleElement()
				.asString()
				.startsWith("No pool serves the queue 'nobody', by the last beats; pool 'default' (process ")
				.contains("serves default, low.");
		}
	}

	@Test
	void aJobThatNoPoolKnowsIsToldWhichAreKnown() {
		try (TestApplication application = start()) {
			long id = application.bean(JobTemplate.class).to("NotHere").dispatch();
			assertThat(why(application, id))
				.containsExactly("No pool knows a job named 'NotHere'. Those that are known: Block, Broken, Retried.");
		}
	}

	@Test
	void aJobOnAPausedQueueIsToldOfThePause() {
		try (TestApplication application = start()) {
			application.bean(JobAdmin.class).pause("low");
			// Pools learn of it with a beat, and tell with one what they still serve.
			await().until(() -> this.database.jdbc()
				.sql("select 'low' <> all(queues) from gator_worker")
				.query(Boolean.class)
				.single());
			long id = application.bean(JobTemplate.class).to(Block.class).queue("low").dispatch();
			assertThat(why(application, id)).singleElement()
				.asString()
				.startsWith("Its queue 'low' has been paused since 20");
		}
	}

	@Test
	void queuesAreShownWithWhatIsOnThemAndTheirWeights() {
		try (TestApplication application = start()) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			this.table.awaitState(jobs.dispatch(Retried.class), "FAILED");
			this.table.awaitState(jobs.dispatch(Broken.class, "x"), "DEAD");
			this.table.awaitState(jobs.dispatch(Block.class), "RUNNING");
			jobs.dispatch(Block.class);
			jobs.dispatch(Block.class);
			jobs.to(Block.class).delay(Duration.ofDays(3)).dispatch();
			application.bean(JobAdmin.class).pause("low");
			await().untilAsserted(() -> {
				assertThat(queue(application, "default")).containsEntry("waiting", 2L)
					.containsEntry("running", 1L)
					.containsEntry("failed", 1L)
					.containsEntry("scheduled", 1L)
					.containsEntry("dead", 1L)
					.containsEntry("weight", 3)
					.containsEntry("paused", false)
					.containsEntry("estimated", false)
					.containsKeys("inPerSecond", "outPerSecond", "drainSeconds", "oldestAgeSeconds");
				assertThat(queue(application, "low")).containsEntry("paused", true).containsEntry("weight", 1);
			});
			assertThat((Double) application.bean(GatorEndpoint.class).overview().get("ageSeconds")).isNotNegative();
			application.bean(Block.class).free.countDown();
		}
	}

	@Test
	void poolsAreShownWithTheirSlotsAndProcesses() {
		try (TestApplication application = start()) {
			assertThat(list(application.bean(GatorEndpoint.class).overview(), "workers")).singleElement()
				.satisfies((worker) -> assertThat(worker).containsEntry("pool", "default")
					.containsEntry("slots", 1)
					.containsEntry("pid", ProcessHandle.current().pid())
					.containsKeys("startedAt", "lastBeatSeconds", "busy", "host"));
		}
	}

	@Test
	void aJobIsShownWithAllThatIsKnownOfIt() {
		try (TestApplication application = start()) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			long id = jobs.chain(Block.class).then(Retried.class).dispatch();
			long keyed = jobs.to(Block.class).uniqueKey("only").delay(Duration.ofDays(3)).dispatch();
			this.table.awaitState(id, "RUNNING");
			JobInfo running = application.bean(JobAdmin.class).find(id).orElseThrow();
			assertThat(look(application, id)).containsEntry("name", "Block")
				.containsEntry("queue", "default")
				.containsEntry("state", "RUNNING")
				.containsEntry("attempts", 1)
				.containsEntry("dispatchedAt", running.dispatchedAt())
				.containsEntry("claimedAt", running.claimedAt().orElseThrow())
				.containsEntry("workerId", running.workerId().orElseThrow())
				.containsEntry("chain", List.of("Retried"))
				.doesNotContainKeys("dueAt", "finishedAt", "uniqueKey", "error");
			assertThat(look(application, keyed)).containsEntry("uniqueKey", "only")
				.containsKey("dueAt")
				.doesNotContainKeys("claimedAt", "workerId", "chain");
			application.bean(Block.class).free.countDown();
			this.table.awaitState(id, "SUCCEEDED");
			JobInfo succeeded = application.bean(JobAdmin.class).find(id).orElseThrow();
			assertThat(look(application, id)).containsEntry("finishedAt", succeeded.finishedAt().orElseThrow())
				.containsEntry("lastExecutedAt", succeeded.lastExecutedAt().orElseThrow())
				.doesNotContainKeys("claimedAt", "workerId");
		}
	}

	@Test
	void recurringJobsAreShownWithTheirTicks() {
		try (TestApplication application = TestApplication.start(this.database,
				List.of(Hourly.class, ObservabilityConfiguration.class), PROPERTIES)) {
			await().until(() -> !application.bean(JobAdmin.class).recurring().isEmpty());
			// Again where a tick came between the two readings.
			await().untilAsserted(() -> {
				RecurringInfo known = application.bean(JobAdmin.class).recurring().get(0);
				assertThat(list(application.bean(GatorEndpoint.class).overview(), "recurring")).singleElement()
					.satisfies((recurring) -> assertThat(recurring).containsEntry("name", "Hourly")
						.containsEntry("schedule", "PT1H")
						.containsEntry("lastTick", known.last())
						.containsEntry("nextTick", known.nextTick().orElseThrow()));
			});
		}
	}

	@Test
	void theLastDeathsAreShownWithoutTheArgumentsOfTheJobs() {
		try (TestApplication application = start()) {
			GatorEndpoint endpoint = application.bean(GatorEndpoint.class);
			long id = application.bean(JobTemplate.class).dispatch(Broken.class, "secret argument");
			this.table.awaitState(id, "DEAD");
			assertThat(list(endpoint.overview(), "dead")).singleElement()
				.satisfies((death) -> assertThat(death).containsEntry("id", id)
					.containsEntry("error", "java.lang.IllegalStateException: broken"));
			assertThat(endpoint.overview().toString()).doesNotContain("secret argument");
			assertThat(look(application, id)).doesNotContainKey("arguments");
		}
	}

	@Test
	void aJobIsDueByTheClockOfTheDatabase() {
		TestClock clock = new TestClock(this.database);
		try (TestApplication application = TestApplication.start(this.database, List.of(Block.class),
				"gator.worker.enabled=false")) {
			long id = application.bean(JobTemplate.class).to(Block.class).delay(Duration.ofHours(1)).dispatch();
			JobInfo job = application.bean(JobAdmin.class).find(id).orElseThrow();
			WhyNotRunning why = new WhyNotRunning(clock.stores().insight(), application.bean(Routes.class));
			assertThat(why.explain(job)).first().asString().startsWith("It is due in 59 min, at 20");
			clock.advance(Duration.ofMinutes(30));
			assertThat(why.explain(job)).first().asString().startsWith("It is due in 29 min, at 20");
			clock.advance(Duration.ofHours(1));
			assertThat(why.explain(job)).containsExactly("No pool is running anywhere.");
			assertThat(application.bean(JobAdmin.class).cancel(id)).isTrue();
		}
	}

	@Test
	void aFullBatchThatIsHeldBackIsNotSaidToWaitForItsItemsOnly() {
		try (TestApplication application = TestApplication.start(this.database,
				List.of(Singly.class, ObservabilityConfiguration.class), PROPERTIES)) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			long running = jobs.dispatch(Singly.class, 1);
			await().until(() -> why(application, running).get(0).startsWith("It is claimed"));
			long held = jobs.dispatch(Singly.class, 2);
			assertThat(why(application, held))
				.contains("It waits until its batch is full, or has waited for long enough; "
						+ "a pool handles at most 1 batch of this job at once (maxConcurrent).");
			this.database.jdbc()
				.sql("update gator_job set created_at = created_at - interval '2 hours' where id = ?")
				.param(held)
				.update();
			String ready = "Its batch has waited for long enough; "
					+ "a pool handles at most 1 batch of this job at once (maxConcurrent).";
			assertThat(why(application, held)).contains(ready);
			this.database.jdbc()
				.sql("update gator_job set next_execution_at = '-infinity' where id = ?")
				.param(held)
				.update();
			assertThat(why(application, held)).as("due since ever").contains(ready);
			application.bean(Singly.class).free.countDown();
		}
	}

	private TestApplication start() {
		TestApplication application = TestApplication.start(this.database,
				List.of(Block.class, Retried.class, Broken.class, ObservabilityConfiguration.class), PROPERTIES);
		// A pool registers itself with its first claim.
		await().until(() -> !application.bean(JobAdmin.class).workers().isEmpty());
		return application;
	}

	@SuppressWarnings("unchecked")
	private static List<String> why(TestApplication application, long id) {
		return (List<String>) look(application, id).get("why");
	}

	private static Map<String, Object> look(TestApplication application, long id) {
		return application.bean(GatorEndpoint.class).look(Long.toString(id), null, null, null, null);
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> list(Map<String, Object> body, String key) {
		return (List<Map<String, Object>>) body.get(key);
	}

	private static Map<String, Object> queue(TestApplication application, String name) {
		return list(application.bean(GatorEndpoint.class).overview(), "queues").stream()
			.filter((queue) -> queue.get("name").equals(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError("no queue " + name));
	}

	@Job
	static class Block {

		final CountDownLatch free = new CountDownLatch(1);

		void handle() throws InterruptedException {
			this.free.await();
		}

	}

	@Job
	@Buffered(size = 1, maxWait = "1h", maxConcurrent = 1)
	static class Singly {

		final CountDownLatch free = new CountDownLatch(1);

		void handle(List<Integer> items) throws InterruptedException {
			this.free.await();
		}

	}

	@Job
	@RetryWith(interval = "1h", maxRetries = 3)
	static class Retried {

		void handle() {
			throw new IllegalStateException("again");
		}

	}

	@Job
	@RetryWith(interval = "10ms", maxRetries = 3)
	static class Snoozing {

		void handle(JobContext job) {
			if (job.retryCount() == 0) {
				throw new IllegalStateException("again");
			}
			throw new JobSnoozedException(Duration.ofHours(1));
		}

	}

	@Job
	@Recurring(every = "1h")
	static class Hourly {

		void handle() {
		}

	}

	@Job
	static class Broken {

		void handle(String argument) {
			throw new IllegalStateException("broken");
		}

	}

}
