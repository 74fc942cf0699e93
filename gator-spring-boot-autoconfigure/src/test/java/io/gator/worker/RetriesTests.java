package io.gator.worker;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobTemplate;
import io.gator.RetryDecision;
import io.gator.RetryPolicy;
import io.gator.RetryWith;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of jobs that fail, read from the tables.
 */
@FreshDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RetriesTests {

	private final JobTable jobs;

	private final DatabaseHandle database;

	private TestApplication application;

	RetriesTests(DatabaseHandle database) {
		this.database = database;
		this.jobs = JobTable.empty(database);
	}

	@BeforeAll
	void start() {
		this.application = TestApplication.start(this.database,
				List.of(Plain.class, Fixed.class, Exponential.class, Elsewhere.class, NotForFiles.class, Stopping.class,
						OwnInterval.class, PolicyExponential.class, BrokenPolicy.class, Unlimited.class, Once.class,
						SoonElsewhere.class, NotForBends.class, NotForBendsInBatches.class),
				"gator.retry.interval=7m", "gator.retry.max-retries=2", "gator.worker.poll-interval=50ms");
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@Test
	void aFixedIntervalCountsFromTheFailureOnTheDatabasesClock() {
		Instant before = this.jobs.now();
		long id = this.jobs.insert("default", "Fixed", "[]");
		Map<String, Object> job = this.jobs.awaitState(id, "FAILED");
		assertThat(this.jobs.time(id, "due_at")).isBetween(before.plusSeconds(300), this.jobs.now().plusSeconds(300));
		assertThat(job).containsEntry("attempts", 1).containsEntry("worker_id", null).containsEntry("queue", "default");
		assertThat((String) job.get("error_details")).startsWith("java.lang.IllegalStateException: no luck")
			.contains("RetriesTests$Plain.handle");
		assertThat(this.jobs.time(id, "last_executed_at")).isCloseTo(before, within(Duration.ofSeconds(10)));
	}

	@ParameterizedTest
	@CsvSource({ "0, 30", "1, 31", "2, 62", "3, 273", "4, 1054" })
	void anExponentialIntervalIsThirtySecondsPlusTheFifthPower(int retriesMade, long seconds) {
		Instant before = this.jobs.now();
		long id = this.jobs.insertTried("default", "Exponential", "[]", retriesMade);
		this.jobs.awaitState(id, "FAILED");
		assertThat(this.jobs.time(id, "due_at")).isBetween(before.plusSeconds(seconds),
				this.jobs.now().plusSeconds(seconds));
	}

	@Test
	void aJobIsDeadAfterItsLastRetryAndKeepsItsTimes() {
		long id = this.jobs.insert("default", "Fixed", "[]");
		Instant created = this.jobs.time(id, "created_at");
		this.jobs.awaitState(id, "FAILED");
		for (int retry = 1; retry <= 2; retry++) {
			dueNow(id);
			int attempts = retry + 1;
			await().until(() -> this.jobs.job(id).get("attempts").equals(attempts)
					&& !this.jobs.states(id).contains("RUNNING"));
		}
		Map<String, Object> job = this.jobs.awaitState(id, "DEAD");
		assertThat(job).containsEntry("attempts", 3);
		assertThat(this.jobs.time(id, "created_at")).isEqualTo(created);
		assertThat(this.jobs.time(id, "finished_at")).isAfterOrEqualTo(this.jobs.time(id, "last_executed_at"));
		assertThat(this.jobs.count("gator_job where id = " + id)).isZero();
		assertThat(this.jobs.count("gator_job_history where id = " + id)).isZero();
	}

	@Test
	void retriesGoToTheRetryQueue() {
		long id = this.jobs.insert("default", "Elsewhere", "[]");
		assertThat(this.jobs.awaitState(id, "FAILED")).containsEntry("queue", "later");
	}

	@Test
	void aRetryOnAQueueToWhichNobodyDispatchesIsMadeInTime() {
		assertThat(this.jobs.count("gator_queue where name = 'soon'")).isZero();
		long id = this.jobs.insert("default", "SoonElsewhere", "[]");
		assertThat(this.jobs.awaitState(id, "DEAD")).containsEntry("queue", "soon").containsEntry("attempts", 2);
	}

	@Test
	void aRetryDoesNotWaitForAPoll() {
		try (TestApplication slow = TestApplication.start(this.database, List.of(Quickly.class),
				"gator.worker.queues.quick=1", "gator.worker.poll-interval=1h")) {
			long id = slow.bean(JobTemplate.class).dispatch(Quickly.class);
			assertThat(this.jobs.awaitState(id, "DEAD")).containsEntry("attempts", 3);
		}
	}

	@Test
	void anExceptionThatIsNeverRetriedEndsTheJob() {
		long never = this.jobs.insert("default", "NotForFiles", "[\"file\"]");
		long retried = this.jobs.insert("default", "NotForFiles", "[\"io\"]");
		assertThat(this.jobs.awaitState(never, "DEAD")).containsEntry("attempts", 1);
		this.jobs.awaitState(retried, "FAILED");
	}

	@Test
	void aThrowableThatIsNeitherExceptionNorErrorCountsAsWhatItIs() {
		for (String name : List.of("NotForBends", "NotForBendsInBatches")) {
			long id = this.jobs.insert("default", name, "[1]");
			Map<String, Object> row = this.jobs.awaitState(id, "DEAD");
			assertThat(row).containsEntry("attempts", 1);
			assertThat((String) row.get("error_details")).startsWith(Bend.class.getName());
		}
	}

	@Test
	void aPolicyMayStop() {
		long id = this.jobs.insert("default", "Stopping", "[]");
		assertThat(this.jobs.awaitState(id, "DEAD")).containsEntry("attempts", 1);
	}

	@Test
	void aPolicyMayChooseItsOwnIntervalAndQueueByTheRetryCount() {
		Instant before = this.jobs.now();
		long id = this.jobs.insertTried("default", "OwnInterval", "[]", 2);
		assertThat(this.jobs.awaitState(id, "FAILED")).containsEntry("queue", "slow");
		assertThat(this.jobs.time(id, "due_at")).isBetween(before.plusSeconds(102), this.jobs.now().plusSeconds(102));
	}

	@Test
	void aPolicyMayTakeTheExponentialInterval() {
		Instant before = this.jobs.now();
		long id = this.jobs.insertTried("default", "PolicyExponential", "[]", 3);
		this.jobs.awaitState(id, "FAILED");
		assertThat(this.jobs.time(id, "due_at")).isBetween(before.plusSeconds(273), this.jobs.now().plusSeconds(273));
	}

	@Test
	void aPolicyThatThrowsStopsTheRetriesAndBothErrorsAreKept() {
		long id = this.jobs.insert("default", "BrokenPolicy", "[]");
		assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details")).contains("no luck")
			.contains("The retry policy failed: java.lang.UnsupportedOperationException: policy is broken");
	}

	@Test
	void unlimitedRetriesNeverEnd() {
		long id = this.jobs.insertTried("default", "Unlimited", "[]", 1_000_000);
		assertThat(this.jobs.awaitState(id, "FAILED")).containsEntry("attempts", 1_000_001);
	}

	@Test
	void withoutAnAnnotationTheApplicationsDefaultApplies() {
		Instant before = this.jobs.now();
		long id = this.jobs.insert("default", "Plain", "[]");
		this.jobs.awaitState(id, "FAILED");
		assertThat(this.jobs.time(id, "due_at")).isBetween(before.plusSeconds(420), this.jobs.now().plusSeconds(420));
		failedBefore(id, 2);
		dueNow(id);
		assertThat(this.jobs.awaitState(id, "DEAD")).containsEntry("attempts", 3);
	}

	@Test
	void aRetryThatSucceedsLeavesTheErrorBehindItAndCountsItsAttempts() {
		long id = this.jobs.insert("default", "Once", "[]");
		this.jobs.awaitState(id, "FAILED");
		dueNow(id);
		assertThat(this.jobs.awaitState(id, "SUCCEEDED")).containsEntry("attempts", 2);
	}

	/**
	 * A job whose attempts are used up already was claimed once more than it may: its
	 * last attempt ended with its process.
	 */
	@Test
	void aJobWithoutAnAttemptLeftIsDeadWithoutARun() {
		long id = this.jobs.insertTried("default", "Once", "[]", 2);
		Map<String, Object> job = this.jobs.awaitState(id, "DEAD");
		assertThat(job).containsEntry("attempts", 2);
		assertThat((String) job.get("error_details")).isNotBlank();
	}

	private void failedBefore(long id, int attempts) {
		this.database.jdbc()
			.sql("update gator_job set attempts = ? where id = ? and reserved_by is null")
			.params(attempts, id)
			.update();
	}

	private void dueNow(long id) {
		this.database.jdbc().sql("update gator_job set next_execution_at = now() where id = ?").param(id).update();
	}

	@Job
	static class Plain {

		void handle() {
			throw new IllegalStateException("no luck");
		}

	}

	@Job
	@RetryWith(interval = "5m", maxRetries = 2)
	static class Fixed extends Plain {

	}

	@Job
	@RetryWith(interval = RetryWith.EXPONENTIAL, maxRetries = 5)
	static class Exponential extends Plain {

	}

	@Job
	@RetryWith(interval = "1h", queue = "later")
	static class Elsewhere extends Plain {

	}

	@Job
	@RetryWith(interval = "PT0.1S", maxRetries = 1, queue = "soon")
	static class SoonElsewhere extends Plain {

	}

	@Job(queue = "quick")
	@RetryWith(interval = "PT0.1S", maxRetries = 2)
	static class Quickly extends Plain {

	}

	@Job
	@RetryWith(interval = "1h", noRetryFor = FileNotFoundException.class)
	static class NotForFiles {

		void handle(String what) throws IOException {
			throw what.equals("file") ? new FileNotFoundException("file") : new IOException("io");
		}

	}

	static class Bend extends Throwable {

		private static final long serialVersionUID = 1L;

	}

	@Job
	@RetryWith(interval = "1h", noRetryFor = Bend.class)
	static class NotForBends {

		void handle(int item) throws Bend {
			throw new Bend();
		}

	}

	@Job
	@Buffered(maxWait = "10ms")
	@RetryWith(interval = "1h", noRetryFor = Bend.class)
	static class NotForBendsInBatches {

		void handle(List<Integer> items) throws Bend {
			throw new Bend();
		}

	}

	@Job
	@RetryWith(policy = Stop.class)
	static class Stopping extends Plain {

	}

	static class Stop implements RetryPolicy {

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			return RetryDecision.stop();
		}

	}

	@Job
	@RetryWith(policy = Own.class)
	static class OwnInterval extends Plain {

	}

	static class Own implements RetryPolicy {

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			return RetryDecision.after(Duration.ofSeconds(100 + retryCount)).onQueue("slow");
		}

	}

	@Job
	@RetryWith(policy = Grow.class)
	static class PolicyExponential extends Plain {

	}

	static class Grow implements RetryPolicy {

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			return RetryDecision.exponential();
		}

	}

	@Job
	@RetryWith(policy = Broken.class)
	static class BrokenPolicy extends Plain {

	}

	static class Broken implements RetryPolicy {

		@Override
		public RetryDecision decide(Throwable error, int retryCount) {
			throw new UnsupportedOperationException("policy is broken");
		}

	}

	@Job
	@RetryWith(interval = "1h", maxRetries = RetryWith.UNLIMITED)
	static class Unlimited extends Plain {

	}

	@Job
	@RetryWith(interval = "1h", maxRetries = 1)
	static class Once {

		void handle(JobContext context) {
			if (context.retryCount() == 0) {
				throw new IllegalStateException("no luck");
			}
		}

	}

}
