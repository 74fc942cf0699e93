package io.gator.worker;

import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.OnDead;
import io.gator.RetryWith;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P6 where a transactional handler leaves its transaction in disorder: what becomes of
 * the job is what the handler has done or thrown, and never a success without the work.
 */
@FreshDatabase
class DisorderlyHandlerTests {

	private final JobTable jobs;

	private final DatabaseHandle database;

	DisorderlyHandlerTests(DatabaseHandle database) {
		this.database = database;
		this.jobs = JobTable.empty(database);
		database.jdbc().sql("create table if not exists payment (id bigint)").update();
	}

	@BeforeEach
	void pay() {
		this.database.jdbc().sql("truncate payment").update();
		Pays.handle = Pays::pay;
		Pays.compensate = (job) -> {
		};
	}

	private TestApplication start() {
		return TestApplication.start(this.database, List.of(Pays.class), "gator.worker.poll-interval=50ms");
	}

	private Map<String, Object> dispatched(TestApplication application, String state) {
		return this.jobs.awaitState(application.bean(JobTemplate.class).dispatch(Pays.class), state);
	}

	private static void begin(Pays job, int propagation) {
		job.transactions.getTransaction(new DefaultTransactionDefinition(propagation));
	}

	private static void beforeCommit(Runnable callback) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCommit(boolean readOnly) {
				callback.run();
			}

		});
	}

	@ParameterizedTest
	@ValueSource(
			ints = { TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NOT_SUPPORTED })
	void anInnerTransactionThatIsLeftOpenMakesTheJobFailAndItsWorkIsRolledBack(int propagation) {
		Pays.handle = (job) -> {
			job.pay();
			begin(job, propagation);
			job.pay();
		};
		try (TestApplication application = start()) {
			assertThat((String) dispatched(application, "FAILED").get("error_details"))
				.contains("left a transaction open");
			assertNothingIsLeftOpen(application);
		}
		// What was written outside of any transaction stays.
		assertThat(this.jobs.count("payment"))
			.isEqualTo((propagation == TransactionDefinition.PROPAGATION_NOT_SUPPORTED) ? 1 : 0);
	}

	@ParameterizedTest
	@ValueSource(
			ints = { TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NOT_SUPPORTED })
	void anInnerTransactionThatAHandlerLeavesOpenWhenItThrowsIsRolledBackWithItsOwn(int propagation) {
		Pays.handle = (job) -> {
			job.pay();
			begin(job, propagation);
			throw new Declined();
		};
		try (TestApplication application = start()) {
			assertThat((String) dispatched(application, "DEAD").get("error_details")).contains("Declined");
			assertNothingIsLeftOpen(application);
		}
		assertThat(this.jobs.count("payment")).isZero();
	}

	private void assertNothingIsLeftOpen(TestApplication application) {
		assertThat(this.jobs
			.count("pg_stat_activity where state like 'idle in transaction%' and datname = current_database()"))
			.isZero();
		HikariDataSource pool = application.bean(HikariDataSource.class);
		await().untilAsserted(() -> assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero());
	}

	@Test
	void whatTheHandlerThrewDecidesAlsoWhereItsConnectionIsGone() {
		Pays.handle = (job) -> {
			Integer session = job.jdbc.queryForObject("select pg_backend_pid()", Integer.class);
			this.database.jdbc().sql("select pg_terminate_backend(?, 10000)").param(session).query().singleRow();
			throw new Declined();
		};
		try (TestApplication application = start()) {
			assertThat((String) dispatched(application, "DEAD").get("error_details")).contains("Declined");
		}
	}

	@Test
	void anErrorOfAnotherDatabaseBeforeTheCommitIsNoLostAnswer() {
		Pays.handle = (job) -> beforeCommit(() -> {
			throw new IllegalStateException(new SQLTransientConnectionException("no connection to the other one"));
		});
		try (TestApplication application = start()) {
			assertThat(dispatched(application, "FAILED")).containsEntry("attempts", 1)
				.extractingByKey("error_details")
				.asString()
				.contains("no connection to the other one");
		}
	}

	@Test
	void causesThatGoRoundInACircleDoNotKeepTheSlot() {
		Pays.handle = (job) -> beforeCommit(() -> {
			throw new Circle();
		});
		try (TestApplication application = start()) {
			dispatched(application, "FAILED");
		}
	}

	@Test
	void anOnDeadThatLeavesATransactionOpenHasFailed() {
		Pays.handle = (job) -> {
			throw new Declined();
		};
		Pays.compensate = (job) -> {
			begin(job, TransactionDefinition.PROPAGATION_REQUIRED);
			job.pay();
		};
		try (TestApplication application = start()) {
			assertThat((String) dispatched(application, "DEAD").get("error_details")).contains("@OnDead failed")
				.contains("left a transaction open");
		}
		assertThat(this.jobs.count("payment")).isZero();
	}

	@FunctionalInterface
	interface Step {

		void take(Pays job);

	}

	@Job(transactional = true)
	@RetryWith(interval = "1h", maxRetries = 3, noRetryFor = Declined.class)
	static class Pays {

		static volatile Step handle = Pays::pay;

		static volatile Step compensate = Pays::pay;

		final PlatformTransactionManager transactions;

		final JdbcTemplate jdbc;

		Pays(PlatformTransactionManager transactions, DataSource dataSource) {
			this.transactions = transactions;
			this.jdbc = new JdbcTemplate(dataSource);
		}

		void pay() {
			this.jdbc.update("insert into payment values (1)");
		}

		void handle() {
			handle.take(this);
		}

		@OnDead
		void compensate() {
			compensate.take(this);
		}

	}

	static class Declined extends RuntimeException {

		private static final long serialVersionUID = 1L;

	}

	/** Its cause is the exception itself. */
	static class Circle extends RuntimeException {

		private static final long serialVersionUID = 1L;

		@Override
		public synchronized Throwable getCause() {
			return this;
		}

	}

}
