package io.gator.worker;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobListener;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a listener leaves on its thread hits neither other listeners, nor what it hears
 * next, nor the handler.
 */
@FreshDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class AfterTheListenerTests {

	private final DatabaseHandle database;

	private final JobTable table;

	private TestApplication application;

	private JobTemplate jobs;

	AfterTheListenerTests(DatabaseHandle database) {
		this.database = database;
		this.table = JobTable.empty(database);
		database.jdbc().sql("create table work (name text)").update();
	}

	@BeforeAll
	void start() {
		this.application = TestApplication.start(this.database,
				List.of(Leaves.class, Follows.class, Heard.class, Followed.class, Written.class),
				"gator.worker.poll-interval=50ms");
		this.jobs = this.application.bean(JobTemplate.class);
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@BeforeEach
	void clear() {
		this.table.clear();
	}

	@Test
	void aListenerThatThrowsBeforeItsCommitLosesNoDispatchOfAnyListener(CapturedOutput output) {
		Leaves.atSuccess.set(true);
		for (int i = 1; i <= 2; i++) {
			int runs = i;
			this.jobs.dispatch(Heard.class, i);
			await().until(() -> this.table.count("gator_job_history where name = 'Followed'") == runs);
		}
		assertThat(Leaves.atSuccess).isFalse();
		assertThat(output.getOut()).contains("Listener " + Leaves.class.getName() + " left a transaction open");
	}

	@Test
	void theHandlerIsNoPartOfATransactionThatAListenerLeftOpen() {
		Leaves.atStart.set(true);
		long id = this.jobs.dispatch(Written.class);
		assertThat(this.table.awaitState(id, "SUCCEEDED")).containsEntry("attempts", 1);
		assertThat(Leaves.atStart).isFalse();
		assertThat(this.table.count("work where name = 'by the handler'")).isOne();
	}

	@Test
	void theClassLoaderThatAListenerLeavesOnItsThreadReachesNoOtherListener() {
		try (TestApplication own = TestApplication.start(this.database,
				List.of(LeavesClassLoader.class, SeesClassLoader.class, Alone.class))) {
			own.bean(JobTemplate.class).dispatch(Alone.class);
			SeesClassLoader sees = own.bean(SeesClassLoader.class);
			await().untilAsserted(() -> assertThat(sees.seen).hasSize(1));
			assertThat(sees.seen).containsExactlyElementsOf(own.bean(LeavesClassLoader.class).before);
		}
	}

	@Order(1)
	static class LeavesClassLoader implements JobListener {

		final Queue<ClassLoader> before = new ConcurrentLinkedQueue<>();

		@Override
		public void succeeded(JobContext job) {
			Thread thread = Thread.currentThread();
			this.before.add(thread.getContextClassLoader());
			thread.setContextClassLoader(new ClassLoader(thread.getContextClassLoader()) {
			});
		}

	}

	@Order(2)
	static class SeesClassLoader implements JobListener {

		final Queue<ClassLoader> seen = new ConcurrentLinkedQueue<>();

		@Override
		public void succeeded(JobContext job) {
			this.seen.add(Thread.currentThread().getContextClassLoader());
		}

	}

	@Job
	static class Alone {

		void handle() {
		}

	}

	@Order(1)
	static class Leaves implements JobListener {

		static final AtomicBoolean atStart = new AtomicBoolean();

		static final AtomicBoolean atSuccess = new AtomicBoolean();

		private final PlatformTransactionManager transactions;

		Leaves(PlatformTransactionManager transactions) {
			this.transactions = transactions;
		}

		@Override
		public void started(JobContext job) {
			leave(atStart);
		}

		@Override
		public void succeeded(JobContext job) {
			leave(atSuccess);
		}

		private void leave(AtomicBoolean now) {
			if (now.getAndSet(false)) {
				this.transactions.getTransaction(new DefaultTransactionDefinition());
				throw new IllegalStateException("before the commit");
			}
		}

	}

	@Order(2)
	static class Follows implements JobListener {

		private final JobTemplate jobs;

		Follows(JobTemplate jobs) {
			this.jobs = jobs;
		}

		@Override
		public void succeeded(JobContext job) {
			if (job.name().equals("Heard")) {
				this.jobs.dispatch(Followed.class);
			}
		}

	}

	@Job
	static class Heard {

		void handle(int number) {
		}

	}

	@Job
	static class Followed {

		void handle() {
		}

	}

	@Job
	static class Written {

		private final JdbcTemplate jdbc;

		Written(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		void handle() {
			this.jdbc.update("insert into work values ('by the handler')");
		}

	}

}
