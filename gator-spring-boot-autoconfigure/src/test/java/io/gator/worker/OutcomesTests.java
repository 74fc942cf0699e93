package io.gator.worker;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobCancelledException;
import io.gator.JobContext;
import io.gator.JobHandler;
import io.gator.JobSnoozedException;
import io.gator.RetryWith;
import io.gator.store.ErrorText;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a handler gets, and what becomes of a job by what its handler does or throws.
 */
@FreshDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OutcomesTests {

	private final JobTable jobs;

	private final DatabaseHandle database;

	private TestApplication application;

	OutcomesTests(DatabaseHandle database) {
		this.database = database;
		this.jobs = JobTable.empty(database);
	}

	@BeforeAll
	void start() {
		this.application = TestApplication.start(this.database,
				List.of(Probe.class, Typed.class, Renamed.class, Slow.class, Stubborn.class, Snoozer.class,
						Quitter.class, SnoozesForEver.class, Verbose.class, VerboseItems.class, Patient.class),
				"gator.worker.concurrency=1", "gator.worker.poll-interval=50ms");
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@Test
	void aContextSaysWhatTheAttemptIs() {
		long id = this.jobs.insert("mail", "Probe", "[\"context\"]");
		this.jobs.awaitState(id, "SUCCEEDED");
		Seen seen = Probe.seen.get("context");
		assertThat(seen.id).isEqualTo(id);
		assertThat(seen.queue).isEqualTo("mail");
		assertThat(seen.attempt).isEqualTo(1);
		assertThat(seen.lease).isEqualTo(1);
		assertThat(seen.dispatchedAt).isEqualTo(this.jobs.time(id, "created_at"));
		assertThat(seen.mdc).containsOnly(Map.entry("jobId", Long.toString(id)), Map.entry("jobName", "Probe"),
				Map.entry("jobQueue", "mail"), Map.entry("jobAttempt", "1"));
	}

	@Test
	void aJobHandlerGetsItsPayloadInItsType() {
		long id = this.jobs.insert("default", "Typed", "[[{\"city\":\"Lyon\"}]]");
		this.jobs.awaitState(id, "SUCCEEDED");
		assertThat(Typed.seen).containsExactly(new Typed.Address("Lyon"));
	}

	@Test
	void aJobMayHaveMoreTimeThanAnyClockCounts() {
		this.jobs.awaitState(this.jobs.insert("default", "Patient", "[]"), "SUCCEEDED");
	}

	@Test
	void aRowWithAFormerNameIsRoutedToTheHandler() {
		long id = this.jobs.insert("default", "FormerName", "[]");
		assertThat(this.jobs.awaitState(id, "SUCCEEDED")).containsEntry("name", "FormerName");
	}

	@Test
	void aJobThatNobodyKnowsStaysAsItIs() {
		long unknown = this.jobs.insert("default", "NobodyKnows", "[]");
		long known = this.jobs.insert("default", "Probe", "[\"behind\"]");
		this.jobs.awaitState(known, "SUCCEEDED");
		assertThat(this.jobs.job(unknown)).containsEntry("state", "WAITING").containsEntry("attempts", 0);
		this.database.jdbc().sql("delete from gator_job where id = ?").param(unknown).update();
	}

	@Test
	void unreadableArgumentsMakeTheJobDeadAtOnce() {
		long id = this.jobs.insert("default", "Probe", "[{\"no\": \"string\"}, 2]");
		Map<String, Object> job = this.jobs.awaitState(id, "DEAD");
		assertThat(job).containsEntry("attempts", 1);
		assertThat((String) job.get("error_details")).contains("UnreadableArgumentsException");
	}

	@Test
	void anAttemptThatTakesTooLongIsInterruptedAndFails() {
		long id = this.jobs.insert("default", "Slow", "[]");
		assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details")).contains("JobTimeoutException");
	}

	@Test
	void anAttemptThatEndsTooLateFailsEvenIfItWasNotInterruptible() {
		long id = this.jobs.insert("default", "Stubborn", "[]");
		assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details")).contains("JobTimeoutException");
	}

	@Test
	void aSnoozedJobComesBackLaterWithoutACharge() {
		Instant before = this.jobs.now();
		long id = this.jobs.insert("default", "Snoozer", "[]");
		Map<String, Object> job = this.jobs.awaitState(id, "SCHEDULED");
		assertThat(job).containsEntry("attempts", 0).containsEntry("error_details", null);
		assertThat(this.jobs.time(id, "due_at")).isBetween(before.plusSeconds(600), this.jobs.now().plusSeconds(600));
	}

	@Test
	void aJobMayBeSnoozedForLongerThanTheDatabaseCanCount() {
		long id = this.jobs.insert("default", "SnoozesForEver", "[]");
		assertThat(this.jobs.awaitState(id, "SCHEDULED")).containsEntry("attempts", 0);
		assertThat(this.jobs.time(id, "due_at")).isAfter(this.jobs.now().plus(Duration.ofDays(3_652_000)));
	}

	@Test
	void aJobThatCancelsItselfIsOverWithItsReason() {
		long id = this.jobs.insert("default", "Quitter", "[]");
		assertThat(this.jobs.awaitState(id, "CANCELLED")).containsEntry("error_details", "not needed any more");
		assertThat(this.jobs.states(id)).hasSize(1);
	}

	@Test
	void theReasonOfACancellationIsCutAndQuotesNoValueOfTheDatabase() {
		long id = this.jobs.insert("default", "Verbose", "[]");
		assertThat((String) this.jobs.awaitState(id, "CANCELLED").get("error_details")).startsWith("duplicate key xxx")
			.doesNotContain("s3cr3t")
			.hasSizeLessThanOrEqualTo(ErrorText.MAX_MESSAGE + 1);
		long item = this.jobs.insert("default", "VerboseItems", "[1]");
		assertThat((String) this.jobs.awaitState(item, "CANCELLED").get("error_details")).isEqualTo("duplicate key");
	}

	record Seen(long id, String queue, int attempt, long lease, Instant dispatchedAt, Map<String, String> mdc) {

	}

	@Job
	static class Probe {

		static final Map<String, Seen> seen = new ConcurrentHashMap<>();

		void handle(String mark, JobContext context) {
			seen.put(mark, new Seen(context.id(), context.queue(), context.attempt(), context.lease(),
					context.dispatchedAt(), MDC.getCopyOfContextMap()));
		}

	}

	@Job
	static class Typed implements JobHandler<List<Typed.Address>> {

		static final Queue<Object> seen = new ConcurrentLinkedQueue<>();

		@Override
		public void handle(List<Address> payload) {
			seen.addAll(payload);
		}

		record Address(String city) {

		}

	}

	@Job(name = "NewName", aliases = "FormerName")
	static class Renamed {

		void handle() {
		}

	}

	@Job(timeout = "200000d")
	static class Patient {

		void handle() {
		}

	}

	@Job(timeout = "100ms")
	static class Slow {

		void handle() throws InterruptedException {
			new CountDownLatch(1).await();
		}

	}

	@Job(timeout = "100ms")
	static class Stubborn {

		void handle(JobContext context) {
			while (!context.isCancelled()) {
				Thread.onSpinWait();
			}
		}

	}

	@Job
	static class Snoozer {

		void handle() {
			throw new JobSnoozedException(Duration.ofMinutes(10));
		}

	}

	@Job
	@RetryWith(interval = "1s")
	static class Quitter {

		void handle() {
			throw new JobCancelledException("not needed any more");
		}

	}

	@Job
	static class SnoozesForEver {

		void handle() {
			throw new JobSnoozedException(ChronoUnit.FOREVER.getDuration());
		}

	}

	@Job
	static class Verbose {

		void handle() {
			throw new JobCancelledException("duplicate key " + "x".repeat(10_000) + "\n  Detail: Key (s3cr3t) exists.");
		}

	}

	@Job
	@Buffered(maxWait = "0s")
	static class VerboseItems {

		void handle(List<Integer> items) {
			throw new JobCancelledException("duplicate key\n  Detail: Key (s3cr3t) exists.");
		}

	}

}
