package io.gator.worker;

import java.io.IOException;
import java.sql.Connection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobListener;
import io.gator.JobTemplate;
import io.gator.OnDead;
import io.gator.RetryWith;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.NoTransactions;
import io.gator.test.TestApplication;
import io.gator.test.Undeclared;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P6: the handler's writes and the success commit together or not at all.
 */
@FreshDatabase
class TransactionalJobTests {

	private final JobTable jobs;

	private final DatabaseHandle database;

	TransactionalJobTests(DatabaseHandle database) {
		this.database = database;
		this.jobs = JobTable.empty(database);
		database.jdbc().sql("create table if not exists payment (id bigint)").update();
	}

	private TestApplication start(Class<?>... beans) {
		return TestApplication.start(this.database, List.of(beans), "gator.worker.poll-interval=50ms");
	}

	private int payments(long id) {
		return this.jobs.count("payment where id = " + id);
	}

	@Test
	void effectsAndSuccessCommitTogether() {
		try (TestApplication application = start(Booked.class)) {
			long id = application.bean(JobTemplate.class).dispatch(Booked.class, false);
			this.jobs.awaitState(id, "SUCCEEDED");
			assertThat(payments(id)).isOne();
			// One transaction: the rows of both carry its id.
			assertThat(this.database.jdbc().sql("""
					select p.xmin::text = h.xmin::text from payment p join gator_job_history h using (id)
					 where id = ?
					""").param(id).query(Boolean.class).single()).isTrue();
		}
	}

	@Test
	void effectsOfAJobThatFailsAreRolledBack() {
		try (TestApplication application = start(Booked.class)) {
			long id = application.bean(JobTemplate.class).dispatch(Booked.class, true);
			this.jobs.awaitState(id, "DEAD");
			assertThat(payments(id)).isZero();
		}
	}

	@Test
	void effectsOfAJobThatLostItsLeaseAreRolledBack() {
		try (TestApplication application = start(Robbed.class, LateResults.class)) {
			long id = application.bean(JobTemplate.class).dispatch(Robbed.class);
			// The second run, under the next lease, is the one that counts.
			this.jobs.awaitState(id, "SUCCEEDED");
			LateResults late = application.bean(LateResults.class);
			await().untilAsserted(() -> assertThat(late.count).hasValue(1));
			assertThat(Robbed.runs).hasSize(2);
			assertThat(payments(id)).isOne();
			assertThat(this.jobs.count("gator_job_history where id = " + id)).isOne();
		}
	}

	@Test
	void aTransactionWithoutGatorsDataSourceFailsTheAttemptBeforeTheHandlerIsCalled() {
		try (TestApplication application = start(Noted.class, ManagerOfSomethingElse.class)) {
			long id = application.bean(JobTemplate.class).dispatch(Noted.class);
			assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details"))
				.contains("do not include the DataSource")
				.contains("Elsewhere")
				.contains("Noted");
			assertThat(Noted.runs).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aCallbackThatFailsAfterTheCommitDoesNotMakeTheJobFail(boolean checked) {
		Late.failure = checked ? new IOException("after the commit") : new IllegalStateException("after the commit");
		try (TestApplication application = start(Late.class, Ends.class)) {
			long id = application.bean(JobTemplate.class).dispatch(Late.class);
			Ends ends = application.bean(Ends.class);
			await().untilAsserted(() -> assertThat(ends.heard).isNotEmpty());
			assertThat(ends.heard).containsExactly("succeeded " + id);
			assertThat(this.jobs.states(id)).containsExactly("SUCCEEDED");
			assertThat(Late.compensated).isEmpty();
		}
	}

	/**
	 * The database rolls back what it is told to commit then, and the driver is silent.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aCallbackThatKeepsTheErrorOfAStatementToItselfMakesTheJobFail(boolean beforeCommit) {
		Paid.beforeCommit = beforeCommit;
		try (TestApplication application = start(Paid.class, Ends.class)) {
			long id = application.bean(JobTemplate.class).dispatch(Paid.class);
			assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details"))
				.contains("The database has rolled back the transaction of job " + id);
			Ends ends = application.bean(Ends.class);
			await().untilAsserted(() -> assertThat(ends.heard).containsExactly("dead " + id));
			assertThat(payments(id)).isZero();
		}
	}

	@Job(transactional = true)
	static class Booked {

		private final JdbcTemplate jdbc;

		Booked(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		void handle(boolean fail, JobContext context) {
			this.jdbc.update("insert into payment values (?)", context.id());
			if (fail) {
				throw new IllegalStateException("after the effect");
			}
		}

	}

	/**
	 * Loses its lease while it runs, as to a rescue.
	 */
	@Job(transactional = true)
	@RetryWith(interval = "1h", maxRetries = 1)
	static class Robbed {

		static final Queue<Long> runs = new ConcurrentLinkedQueue<>();

		private final JdbcTemplate jdbc;

		private final DataSource dataSource;

		Robbed(JdbcTemplate jdbc, DataSource dataSource) {
			this.jdbc = jdbc;
			this.dataSource = dataSource;
		}

		void handle(JobContext context) throws Exception {
			runs.add(context.lease());
			this.jdbc.update("insert into payment values (?)", context.id());
			if (context.lease() == 1) {
				try (Connection other = this.dataSource.getConnection(); var statement = other.createStatement()) {
					statement.execute("update gator_job set lease = lease + 1, reserved_by = null, reserved_at = null, "
							+ "next_execution_at = now() where id = " + context.id());
				}
			}
		}

	}

	/** Counts the results that came too late. */
	static class LateResults implements WorkerMetrics {

		final AtomicInteger count = new AtomicInteger();

		@Override
		public void leasesLost(String pool, int jobs) {
			this.count.addAndGet(jobs);
		}

	}

	@Job(transactional = true)
	static class Paid {

		static volatile boolean beforeCommit;

		private final JdbcTemplate jdbc;

		Paid(DataSource dataSource) {
			this.jdbc = new JdbcTemplate(dataSource);
		}

		void handle(JobContext context) {
			this.jdbc.update("insert into payment values (?)", context.id());
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					if (beforeCommit) {
						audit();
					}
				}

				@Override
				public void beforeCompletion() {
					if (!beforeCommit) {
						audit();
					}
				}

			});
		}

		private void audit() {
			try {
				this.jdbc.update("insert into nowhere values (1)");
			}
			catch (DataAccessException ex) {
				// As if an audit were not worth a payment.
			}
		}

	}

	@Job(transactional = true)
	static class Late {

		static final Queue<Long> compensated = new ConcurrentLinkedQueue<>();

		static volatile Exception failure = new IllegalStateException();

		void handle() {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					Undeclared.rethrow(failure);
				}

			});
		}

		@OnDead
		void compensate(JobContext context) {
			compensated.add(context.id());
		}

	}

	static class Ends implements JobListener {

		final Queue<String> heard = new ConcurrentLinkedQueue<>();

		@Override
		public void succeeded(JobContext job) {
			this.heard.add("succeeded " + job.id());
		}

		@Override
		public void dead(JobContext job, Throwable error) {
			this.heard.add("dead " + job.id());
		}

	}

	@Job(transactional = true)
	static class Noted {

		static final Queue<Long> runs = new ConcurrentLinkedQueue<>();

		void handle(JobContext context) {
			runs.add(context.id());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ManagerOfSomethingElse {

		@Bean
		PlatformTransactionManager elsewhere() {
			return new Elsewhere();
		}

	}

	/** As that of Kafka, which does not say that it has no data source. */
	static class Elsewhere extends NoTransactions {

		private static final long serialVersionUID = 1L;

	}

}
