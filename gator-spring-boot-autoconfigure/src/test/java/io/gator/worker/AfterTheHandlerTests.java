package io.gator.worker;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobContext;
import io.gator.JobTemplate;
import io.gator.OnDead;
import io.gator.RetryWith;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.slf4j.MDC;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a handler leaves behind hits neither {@code @OnDead} nor the next job, and what
 * fails before the handler is called is an attempt that has failed. One slot, so that
 * each handler runs on the thread of the one before.
 */
@FreshDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AfterTheHandlerTests {

	private final DatabaseHandle database;

	private final JobTable jobs;

	private TestApplication application;

	AfterTheHandlerTests(DatabaseHandle database) {
		this.database = database;
		this.jobs = JobTable.empty(database);
		database.jdbc().sql("create table good (name text)").update();
	}

	@BeforeAll
	void start() {
		this.application = TestApplication.start(this.database,
				List.of(Probe.class, DyingError.class, Careless.class, Leaky.class, BareConnection.class, Refund.class,
						Refunds.class, LeavesTransaction.class, LeavesTransactionInBatch.class, LeavesMarks.class,
						LeavesClassLoader.class, Unloadable.class, UnloadableItems.class, Often.class, Waiting.class),
				"gator.worker.concurrency=1", "gator.worker.poll-interval=50ms");
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@Test
	void onDeadHasNeitherTheTimeoutNorTheInterruptOfTheHandler() {
		long id = this.jobs.insert("default", "Refund", "[]");
		assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details")).contains("refused")
			.doesNotContain("@OnDead failed");
		assertThat(Refund.undone).containsExactly("not interrupted");
	}

	@Test
	void onDeadOfABatchHasNeitherTheTimeoutNorTheInterruptOfTheHandler() {
		long id = this.jobs.insert("default", "Refunds", "[1]");
		assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details")).contains("refused")
			.doesNotContain("@OnDead failed");
		assertThat(Refunds.undone).containsExactly("not interrupted");
	}

	@Test
	void onDeadIsNoPartOfATransactionThatTheHandlerLeftOpen() {
		long id = this.jobs.insert("default", "LeavesTransaction", "[]");
		this.jobs.awaitState(id, "DEAD");
		assertThat(this.jobs.count("good where name = 'by the handler'")).isZero();
		assertThat(this.jobs.count("good where name = 'made good'")).isOne();
	}

	@Test
	void anErrorOfAHandlerEndsInItsRowAndNotInTheSlot() {
		long id = this.jobs.insert("default", "DyingError", "[]");
		assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details"))
			.startsWith("java.lang.StackOverflowError");
		assertNextJobFindsNothing();
	}

	@Test
	void anInterruptFlagDoesNotReachTheNextHandler() {
		long id = this.jobs.insert("default", "Careless", "[]");
		this.jobs.awaitState(id, "SUCCEEDED");
		assertNextJobFindsNothing();
	}

	@Test
	void aTransactionThatAHandlerLeavesOpenDoesNotReachTheNextOne() {
		long id = this.jobs.insert("default", "Leaky", "[]");
		assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details")).contains("left a transaction open");
		assertNextJobFindsNothing();
		assertThat(this.jobs.count("good where name = 'leaked'")).isZero();
		assertThat(this.jobs.count("pg_stat_activity where datname = current_database() and state like 'idle in%'"))
			.isZero();
	}

	@Test
	void aConnectionThatAHandlerLeavesBoundGoesBack() {
		for (int i = 0; i < 12; i++) {
			long id = this.jobs.insert("default", "BareConnection", "[]");
			this.jobs.awaitState(id, "SUCCEEDED");
		}
		assertNextJobFindsNothing();
	}

	@Test
	void aBatchWhoseHandlerLeavesATransactionOpenHasFailed() {
		long id = this.jobs.insert("default", "LeavesTransactionInBatch", "[1]");
		assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details")).contains("left a transaction open");
		assertThat(this.jobs.count("good where name = 'by the batch'")).isZero();
	}

	@Test
	void whatTheCallForABatchLeavesOnItsThreadDoesNotReachTheNextJob() {
		long id = this.jobs.insert("default", "LeavesMarks", "[1]");
		this.jobs.awaitState(id, "DEAD");
		assertNextJobFindsNothing();
		assertThat(LeavesMarks.seen.get(id)).containsOnlyKeys("jobId", "jobName", "jobQueue", "jobAttempt");
	}

	@Test
	void theClassLoaderThatAHandlerLeavesOnItsThreadReachesNeitherOnDeadNorTheNextJob() {
		long id = this.jobs.insert("default", "LeavesClassLoader", "[]");
		this.jobs.awaitState(id, "DEAD");
		Seen next = assertNextJobFindsNothing();
		assertThat(LeavesClassLoader.makingGood).hasSize(1).containsExactlyElementsOf(LeavesClassLoader.before);
		assertThat(LeavesClassLoader.before).containsExactly(next.loader);
	}

	@Test
	void argumentsWhoseClassCannotBeLoadedFailTheAttempt() {
		long id = this.jobs.insert("default", "Unloadable", "[{\"number\": 1}]");
		Map<String, Object> job = this.jobs.awaitState(id, "DEAD");
		assertThat(job).containsEntry("attempts", 2);
		assertThat((String) job.get("error_details")).contains("Error");
	}

	@Test
	void itemsWhoseClassCannotBeLoadedFailByThemselves() {
		long first = this.jobs.insert("default", "UnloadableItems", "[{\"number\": 1}]");
		assertThat(this.jobs.awaitState(first, "DEAD")).containsEntry("attempts", 2);
		assertThat(this.jobs.count("gator_job where name = 'UnloadableItems'")).isZero();
	}

	@Test
	void aJobThatMayBeRetriedAsOftenAsThereAreNumbersIsRun() {
		long id = this.jobs.insert("default", "Often", "[]");
		this.jobs.awaitState(id, "SUCCEEDED");
	}

	@Test
	void aRunningBatchOfOneIsCancelledWhenItsItemIs() throws Exception {
		long id = this.application.bean(JobTemplate.class).dispatch(Waiting.class, 1);
		assertThat(Waiting.started.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.application.bean(JobAdmin.class).cancel(id)).isTrue();
		await().until(() -> this.jobs.states(id).contains("CANCELLED"));
		assertThat(this.jobs.count("gator_dead_job where id = " + id)).isZero();
	}

	private Seen assertNextJobFindsNothing() {
		long id = this.jobs.insert("default", "Probe", "[]");
		this.jobs.awaitState(id, "SUCCEEDED");
		Seen seen = Probe.seen.get(id);
		assertThat(seen.interrupted).isFalse();
		assertThat(seen.inTransaction).isFalse();
		assertThat(seen.resources).isZero();
		assertThat(seen.mdc).containsOnlyKeys("jobId", "jobName", "jobQueue", "jobAttempt");
		return seen;
	}

	record Seen(boolean interrupted, boolean inTransaction, int resources, Map<String, String> mdc,
			ClassLoader loader) {

	}

	/** Says what its thread carries. */
	@Job
	static class Probe {

		static final Map<Long, Seen> seen = new ConcurrentHashMap<>();

		void handle(JobContext context) {
			Thread thread = Thread.currentThread();
			seen.put(context.id(),
					new Seen(thread.isInterrupted(), TransactionSynchronizationManager.isActualTransactionActive(),
							TransactionSynchronizationManager.getResourceMap().size(), MDC.getCopyOfContextMap(),
							thread.getContextClassLoader()));
			MDC.put("left", "behind");
		}

	}

	/** Sits longer than the time-out of its job, as a call to another service may. */
	private static String sit() {
		try {
			return new CountDownLatch(1).await(600, TimeUnit.MILLISECONDS) ? "woken" : "not interrupted";
		}
		catch (InterruptedException ex) {
			return "interrupted";
		}
	}

	@Job(timeout = "200ms")
	static class Refund {

		static final Queue<String> undone = new ConcurrentLinkedQueue<>();

		void handle() {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("refused");
		}

		@OnDead
		void undo() {
			undone.add(sit());
		}

	}

	@Job(timeout = "200ms")
	@Buffered(maxWait = "0s")
	static class Refunds {

		static final Queue<String> undone = new ConcurrentLinkedQueue<>();

		void handle(List<Integer> numbers) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("refused");
		}

		@OnDead
		void undo(List<Integer> numbers) {
			undone.add(sit());
		}

	}

	@Job
	static class DyingError {

		void handle() {
			throw new StackOverflowError();
		}

	}

	@Job
	static class Careless {

		void handle() {
			Thread.currentThread().interrupt();
		}

	}

	@Job
	static class Leaky {

		private final PlatformTransactionManager transactions;

		private final JdbcTemplate jdbc;

		Leaky(PlatformTransactionManager transactions, JdbcTemplate jdbc) {
			this.transactions = transactions;
			this.jdbc = jdbc;
		}

		void handle() {
			this.transactions.getTransaction(new DefaultTransactionDefinition());
			this.jdbc.update("insert into good values ('leaked')");
		}

	}

	@Job
	static class BareConnection {

		private final DataSource dataSource;

		BareConnection(DataSource dataSource) {
			this.dataSource = dataSource;
		}

		void handle() throws Exception {
			TransactionSynchronizationManager.bindResource(this.dataSource,
					new ConnectionHolder(this.dataSource.getConnection()));
		}

	}

	@Job
	static class LeavesTransaction {

		private final PlatformTransactionManager transactions;

		private final JdbcTemplate jdbc;

		LeavesTransaction(PlatformTransactionManager transactions, JdbcTemplate jdbc) {
			this.transactions = transactions;
			this.jdbc = jdbc;
		}

		void handle() {
			this.transactions.getTransaction(new DefaultTransactionDefinition());
			this.jdbc.update("insert into good values ('by the handler')");
			throw new IllegalStateException("refused");
		}

		@OnDead
		void undo() {
			this.jdbc.update("insert into good values ('made good')");
		}

	}

	@Job
	@Buffered(maxWait = "0s")
	static class LeavesTransactionInBatch {

		private final PlatformTransactionManager transactions;

		private final JdbcTemplate jdbc;

		LeavesTransactionInBatch(PlatformTransactionManager transactions, JdbcTemplate jdbc) {
			this.transactions = transactions;
			this.jdbc = jdbc;
		}

		void handle(List<Integer> numbers) {
			this.transactions.getTransaction(new DefaultTransactionDefinition());
			this.jdbc.update("insert into good values ('by the batch')");
		}

	}

	@Job
	@Buffered(maxWait = "0s")
	static class LeavesMarks {

		static final Map<Long, Map<String, String>> seen = new ConcurrentHashMap<>();

		void handle(List<Integer> numbers) {
			throw new IllegalStateException("refused");
		}

		@OnDead
		void undo(List<Integer> numbers, JobContext context) {
			seen.put(context.id(), MDC.getCopyOfContextMap());
			MDC.put("tenant", "one");
		}

	}

	@Job
	static class LeavesClassLoader {

		static final Queue<ClassLoader> before = new ConcurrentLinkedQueue<>();

		static final Queue<ClassLoader> makingGood = new ConcurrentLinkedQueue<>();

		void handle() {
			Thread thread = Thread.currentThread();
			before.add(thread.getContextClassLoader());
			thread.setContextClassLoader(new ClassLoader(thread.getContextClassLoader()) {
			});
			throw new IllegalStateException("refused");
		}

		@OnDead
		void undo() {
			makingGood.add(Thread.currentThread().getContextClassLoader());
		}

	}

	@Job
	@RetryWith(interval = "PT0.1S", maxRetries = 1)
	static class Unloadable {

		void handle(Broken broken) {
		}

	}

	@Job
	@Buffered(maxWait = "0s", maxConcurrent = 1)
	@RetryWith(interval = "PT0.1S", maxRetries = 1)
	static class UnloadableItems {

		void handle(List<Broken> broken) {
		}

	}

	/** Sound where it was dispatched, and not here. */
	record Broken(int number) {

		static final int LIMIT = Integer.parseInt("not a number");

	}

	@Job
	@RetryWith(interval = "1h", maxRetries = Integer.MAX_VALUE)
	static class Often {

		void handle() {
		}

	}

	@Job
	@Buffered(maxWait = "0s")
	static class Waiting {

		static final CountDownLatch started = new CountDownLatch(1);

		void handle(List<Integer> numbers) throws InterruptedException {
			started.countDown();
			new CountDownLatch(1).await();
		}

	}

}
