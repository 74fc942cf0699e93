package io.gator.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;

import io.gator.DispatchOutcomeUnknownException;
import io.gator.Job;
import io.gator.Unique;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * P2 and P18: what a caller learns when the database refuses, or is gone.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class OutcomeTests {

	private static final String SECRET = "s3cr3t-value";

	private static final List<String> MANY = IntStream.range(0, 5_000).mapToObj((i) -> SECRET + i).toList();

	private final DatabaseHandle database;

	private final JobTable table;

	private final Recording connections;

	private final Dispatcher jobs;

	OutcomeTests(DatabaseHandle database) {
		this.database = database;
		this.table = JobTable.empty(database);
		this.connections = new Recording(database.hikari(2));
		this.jobs = new TestDispatch(Work.class).on(this.connections, TestDispatch.store(database.hikari(1)));
	}

	@BeforeEach
	void clear() {
		this.table.clear();
	}

	@Test
	void theLostAnswerOfAStatementThatCommitsItselfIsAnUnknownOutcome() {
		this.connections.loseAnswerTo("executeQuery");
		assertThatExceptionOfType(DispatchOutcomeUnknownException.class)
			.isThrownBy(() -> this.jobs.dispatch(Work.class, SECRET))
			.withMessageContaining("'Work'")
			.withMessageContaining("nobody can tell")
			.withMessageContaining("unique key");
		assertThat(this.table.count("gator_job")).isEqualTo(1);
	}

	@Test
	void theLostAnswerOfACommitIsAnUnknownOutcome() {
		this.connections.loseAnswerTo("commit");
		assertThatExceptionOfType(DispatchOutcomeUnknownException.class)
			.isThrownBy(() -> this.jobs.dispatchMany(Work.class, MANY))
			.withMessageContaining("5000 jobs 'Work'");
		assertThat(this.table.count("gator_job")).isEqualTo(5_000);
	}

	@Test
	void repeatingWithTheSameUniqueKeyMakesNoSecondJob() {
		this.connections.loseAnswerTo("executeQuery");
		assertThatExceptionOfType(DispatchOutcomeUnknownException.class)
			.isThrownBy(() -> this.jobs.to(Work.class).uniqueKey("k").dispatch(SECRET));
		this.jobs.to(Work.class).uniqueKey("k").dispatch(SECRET);
		assertThat(this.table.count("gator_job")).isEqualTo(1);
	}

	@Test
	void aConnectionThatFailsBeforeTheCommitLeavesNothingAndIsAnOrdinaryError() {
		this.connections.loseAnswerTo("executeQuery");
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> this.jobs.dispatchMany(Work.class, MANY));
		assertThat(this.table.count("gator_job")).isZero();
	}

	@Test
	void aBulkThatCannotEvenBeRolledBackLeavesNothing() {
		Dispatcher keyed = new TestDispatch(Keyed.class).on(this.connections,
				TestDispatch.store(this.database.hikari(1)));
		Error noMemory = new OutOfMemoryError("here as well");
		// Once the rows are there.
		this.connections.loseAnswerTo("executeQuery");
		this.connections.failInsteadOf("rollback", noMemory);
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> keyed.dispatchMany(Keyed.class, MANY))
			.satisfies((failure) -> assertThat(failure).hasSuppressedException(noMemory));
		assertThat(this.table.count("gator_job")).isZero();
		keyed.dispatchMany(Keyed.class, MANY);
		assertThat(this.table.count("gator_job")).isEqualTo(MANY.size());
	}

	@Test
	void inTheCallersTransactionALostConnectionIsAnOrdinaryError() {
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(this.connections));
		this.connections.loseAnswerTo("executeQuery");
		assertThatExceptionOfType(DataAccessResourceFailureException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> this.jobs.dispatch(Work.class, SECRET)));
		assertThat(this.table.count("gator_job")).isZero();
	}

	@Test
	void aCommitThatTheDatabaseRefusesIsAnOrdinaryError() {
		this.connections.failAfter("commit", new SQLException("a constraint is violated", "23514"));
		assertThatExceptionOfType(DataIntegrityViolationException.class)
			.isThrownBy(() -> this.jobs.dispatchMany(Work.class, MANY))
			.withMessageContaining("5000 jobs 'Work'");
	}

	@Test
	void anAnswerThatTheDriverLosesIsAnUnknownOutcome() {
		SQLException lost = new PSQLException("Ran out of memory", PSQLState.OUT_OF_MEMORY);
		this.connections.failAfter("executeQuery", lost);
		assertThatExceptionOfType(DispatchOutcomeUnknownException.class)
			.isThrownBy(() -> this.jobs.dispatch(Work.class, SECRET))
			.withMessageContaining("was lost");
		this.connections.failAfter("commit", lost);
		assertThatExceptionOfType(DispatchOutcomeUnknownException.class)
			.isThrownBy(() -> this.jobs.dispatchMany(Work.class, MANY));
		assertThat(this.table.count("gator_job")).isEqualTo(5_001);
	}

	@Test
	void aCommitThatIsAnsweredWithARollbackIsAnOrdinaryError() {
		this.connections.failAfter("commit",
				new PSQLException("The database returned ROLLBACK", PSQLState.IN_FAILED_SQL_TRANSACTION));
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> this.jobs.dispatchMany(Work.class, MANY));
	}

	@Test
	void aDatabaseThatIsAwayIsAnOrdinaryError() {
		PGSimpleDataSource away = new PGSimpleDataSource();
		away.setUrl("jdbc:postgresql://localhost:1/nowhere");
		assertThatExceptionOfType(CannotGetJdbcConnectionException.class)
			.isThrownBy(() -> new TestDispatch(Work.class).on(away).dispatch(Work.class, SECRET));
	}

	@Test
	void whatTheDatabaseRefusesIsToldWithoutTheRow() {
		refuseLongArguments();
		try {
			for (Throwable thrown : List.of(catchThrowable(() -> this.jobs.dispatch(Work.class, SECRET)),
					catchThrowable(() -> this.jobs.dispatchMany(Work.class, MANY)),
					catchThrowable(() -> new TransactionTemplate(new JdbcTransactionManager(this.connections))
						.executeWithoutResult((status) -> this.jobs.dispatch(Work.class, SECRET))))) {
				assertThat(thrown).isInstanceOf(DataIntegrityViolationException.class)
					.hasMessageContaining("'Work'")
					.hasMessageContaining("no_long_args");
				for (Throwable each = thrown; each != null; each = each.getCause()) {
					assertThat(each.toString()).doesNotContain(SECRET).doesNotContain("Detail");
				}
			}
		}
		finally {
			this.database.jdbc().sql("alter table gator_job drop constraint no_long_args").update();
		}
		assertThat(this.table.count("gator_job")).isZero();
	}

	@Test
	void aTableThatIsMissingIsNamed() {
		this.database.jdbc().sql("alter table gator_job rename to elsewhere").update();
		try {
			assertThatExceptionOfType(InvalidDataAccessResourceUsageException.class)
				.isThrownBy(() -> this.jobs.dispatch(Work.class, SECRET))
				.withMessageContaining("dispatch of job 'Work'")
				.withMessageContaining("relation \"public.gator_job\" does not exist");
		}
		finally {
			this.database.jdbc().sql("alter table elsewhere rename to gator_job").update();
		}
	}

	@Test
	void whatTheDatabaseKeepsRefusingInFavourOfOthersIsTriedAFewTimes() {
		JdbcClient jdbc = this.database.jdbc();
		jdbc.sql("create sequence tries").update();
		jdbc.sql("""
				create function refuse() returns trigger language plpgsql as $$
				begin
				    perform nextval('tries');
				    raise exception 'another one was first' using errcode = '40001';
				end $$
				""").update();
		jdbc.sql("create trigger refuse before insert on gator_job for each row execute function refuse()").update();
		try {
			assertThatExceptionOfType(PessimisticLockingFailureException.class)
				.isThrownBy(() -> this.jobs.dispatch(Work.class, SECRET))
				.withMessageContaining("'Work'");
			assertThat(jdbc.sql("select last_value from tries").query(Long.class).single()).isEqualTo(Writer.TRIES);
		}
		finally {
			jdbc.sql("drop function refuse() cascade").update();
			jdbc.sql("drop sequence tries").update();
		}
	}

	@Test
	void aBulkIsAllOrNothingAlsoWhenALaterChunkFails() {
		refuseLongArguments();
		try {
			List<String> lastIsLong = IntStream.rangeClosed(0, Bulk.CHUNK_ROWS)
				.mapToObj((i) -> (i < Bulk.CHUNK_ROWS) ? "" : SECRET)
				.toList();
			assertThatExceptionOfType(DataAccessException.class)
				.isThrownBy(() -> this.jobs.dispatchMany(Work.class, lastIsLong));
			assertThat(this.table.count("gator_job")).isZero();
			// In the caller's transaction the bulk is taken back, and only the bulk.
			JdbcClient jdbc = JdbcClient.create(this.connections);
			new TransactionTemplate(new JdbcTransactionManager(this.connections)).executeWithoutResult((status) -> {
				jdbc.sql("create table survivor (id int)").update();
				assertThatExceptionOfType(DataAccessException.class)
					.isThrownBy(() -> this.jobs.dispatchMany(Work.class, lastIsLong));
				this.jobs.dispatch(Work.class, "");
			});
			assertThat(this.table.count("gator_job")).isEqualTo(1);
			assertThat(this.table.count("survivor")).isZero();
		}
		finally {
			this.database.jdbc().sql("alter table gator_job drop constraint no_long_args").update();
		}
	}

	@Test
	void aConnectionOnWhichABulkCannotBeTakenBackIsGivenUp() throws SQLException {
		try (Connection physical = this.database.createDataSource().getConnection()) {
			// As of a pool that looks at nothing when a connection comes back.
			Recording kept = new Recording(new SingleConnectionDataSource(physical, true));
			Dispatcher dispatcher = new TestDispatch(Work.class).on(kept, TestDispatch.store(this.connections));
			kept.failAfter("executeQuery", new SQLException("out of range", "22003"));
			kept.failAfter("rollback", new SQLException("not heard of", "08006"));
			assertThatExceptionOfType(DataIntegrityViolationException.class)
				.isThrownBy(() -> dispatcher.dispatchMany(Work.class, MANY))
				.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement().asString().contains("not heard of"));
			assertThat(physical.isClosed()).isFalse();
			kept.failAfter("executeQuery", new SQLException("out of range", "22003"));
			kept.failInsteadOf("rollback", new Error("not sent"));
			assertThatExceptionOfType(DataIntegrityViolationException.class)
				.isThrownBy(() -> dispatcher.dispatchMany(Work.class, MANY));
			assertThat(physical.isClosed()).isTrue();
		}
		assertThat(this.table.count("gator_job")).isZero();
	}

	@Test
	void aConnectionThatTheServerEndsInABulkLeavesNothing() {
		Recording doomed = new Recording(this.database.createDataSource());
		Dispatcher dispatcher = new TestDispatch(Work.class).on(doomed, TestDispatch.store(this.connections));
		doomed.failAfter("executeQuery", new SQLException("terminating connection", "57P01"));
		assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> dispatcher.dispatchMany(Work.class, MANY));
		assertThat(this.table.count("gator_job")).isZero();
		assertThat(doomed.calls).contains("rollback").doesNotContain("commit");
		doomed.failAfter("executeQuery", new SQLException("terminating connection", "57P01"));
		assertThatExceptionOfType(DispatchOutcomeUnknownException.class)
			.isThrownBy(() -> dispatcher.dispatch(Work.class, SECRET));
	}

	private void refuseLongArguments() {
		this.database.jdbc()
			.sql("alter table gator_job add constraint no_long_args check (length(args::text) < 10)")
			.update();
	}

	/** Lives once for each text. */
	@Job
	@Unique
	static class Keyed {

		void handle(String text) {
		}

	}

	@Job
	static class Work {

		void handle(String text) {
		}

	}

}
