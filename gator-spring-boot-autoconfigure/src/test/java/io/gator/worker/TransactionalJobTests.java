package io.gator.worker;

import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobListener;
import io.gator.JobTemplate;
import io.gator.OnDead;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.NoTransactions;
import io.gator.test.JobTable;
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
	}

	@Test
	void aTransactionWithoutGatorsDataSourceFailsTheAttemptBeforeTheHandlerIsCalled() {
		try (TestApplication application = TestApplication.start(this.database,
				List.of(Noted.class, ManagerOfSomethingElse.class), "gator.worker.poll-interval=50ms")) {
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
		try (TestApplication application = TestApplication.start(this.database, List.of(Late.class, Ends.class),
				"gator.worker.poll-interval=50ms")) {
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
		this.database.jdbc().sql("create table if not exists payment (id bigint)").update();
		Paid.beforeCommit = beforeCommit;
		try (TestApplication application = TestApplication.start(this.database, List.of(Paid.class, Ends.class),
				"gator.worker.poll-interval=50ms")) {
			long id = application.bean(JobTemplate.class).dispatch(Paid.class);
			assertThat((String) this.jobs.awaitState(id, "DEAD").get("error_details"))
				.contains("The database has rolled back the transaction of job " + id);
			Ends ends = application.bean(Ends.class);
			await().untilAsserted(() -> assertThat(ends.heard).containsExactly("dead " + id));
			assertThat(this.database.jdbc().sql("select count(*) from payment").query(Long.class).single()).isZero();
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
