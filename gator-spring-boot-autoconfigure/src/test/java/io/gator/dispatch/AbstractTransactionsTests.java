package io.gator.dispatch;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.gator.Job;
import io.gator.test.DatabaseHandle;
import io.gator.test.JobTable;
import org.junit.jupiter.api.BeforeEach;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Dispatches in transactions of a database, and what is told of them.
 */
abstract class AbstractTransactionsTests {

	/** Enough for several statements. */
	static final List<Integer> MANY = IntStream.range(0, 5_000).boxed().toList();

	/**
	 * How many jobs a callback of a transaction has seen. Spring keeps what such a
	 * callback throws to itself, so that it cannot assert anything.
	 */
	final List<Integer> seen = new ArrayList<>();

	final DatabaseHandle database;

	final JobTable table;

	final DataSource pool;

	final TestDispatch setup = new TestDispatch(Work.class).listening();

	final Dispatcher jobs;

	final TransactionTemplate transaction;

	AbstractTransactionsTests(DatabaseHandle database) {
		this.database = database;
		this.table = JobTable.empty(database);
		this.pool = database.hikari(2);
		this.jobs = this.setup.on(this.pool, TestDispatch.store(database.hikari(1)));
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(this.pool));
	}

	@BeforeEach
	void clear() {
		this.table.clear();
		this.setup.heard.clear();
		this.setup.listened.clear();
		this.seen.clear();
	}

	void assertHeard(int expected) {
		assertThat(this.setup.heard.stream().flatMap(List::stream).mapToInt(Dispatched::count).sum())
			.isEqualTo(expected);
		assertThat(this.setup.listened).hasSize(expected);
	}

	/** What each reading does, too. */
	static void use(DataSource dataSource) {
		JdbcClient.create(dataSource).sql("select 1").query().singleRow();
	}

	/** One connection, which does not commit by itself. */
	HikariDataSource manual() {
		HikariConfig config = new HikariConfig();
		config.setDataSource(this.database.createDataSource());
		config.setAutoCommit(false);
		config.setMaximumPoolSize(2);
		return new HikariDataSource(config);
	}

	int jobs() {
		return this.table.count("gator_job");
	}

	void keepAnErrorToOneself() {
		JdbcTemplate jdbc = new JdbcTemplate(this.pool);
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> jdbc.execute("select 1 / 0"));
	}

	@Job
	static class Work {

		void handle(int number) {
		}

	}

}
