package io.gator.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;

import io.gator.DispatchOutcomeUnknownException;
import io.gator.dispatch.Transactions.Way;
import io.gator.store.SqlErrors;
import io.gator.store.TransactionResources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.dao.PessimisticLockingFailureException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs inserts all or none: in the caller's transaction, or in one of their own.
 */
final class Writer {

	private static final Logger logger = LoggerFactory.getLogger(Writer.class);

	/**
	 * How many times at most an insert in a transaction of its own is tried, if another
	 * transaction gets in its way.
	 */
	static final int TRIES = 5;

	private final SQLStateSQLExceptionTranslator translator = new SQLStateSQLExceptionTranslator();

	/**
	 * Run inserts.
	 * @param <T> the type of the answer
	 * @param way how
	 * @param what what they do, for messages
	 * @param several whether there is more than one statement
	 * @param work the inserts
	 * @return the answer
	 */
	<T> T write(Way way, String what, boolean several, Work<T> work) {
		Connection connection = connection(way, what);
		try {
			boolean autoCommit = connection.getAutoCommit();
			// After its commit Hibernate hands out the connection of the transaction in
			// autocommit, where there are no savepoints.
			if (way.joined() && !autoCommit) {
				return several ? behindSavepoint(connection, what, work) : run(connection, what, work);
			}
			return again(what, () -> {
				if (autoCommit) {
					return several ? inTransaction(connection, what, work) : byItself(connection, what, work);
				}
				return committed(connection, what, work);
			});
		}
		catch (SQLException ex) {
			throw translate(what, ex);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, way.dataSource());
		}
	}

	/**
	 * Take the connection. A dispatch may wait for another one with the same unique key,
	 * so if the transaction has a time-out, the connection gives each statement only the
	 * time that is left.
	 */
	private Connection connection(Way way, String what) {
		Object bound = TransactionSynchronizationManager.getResource(way.dataSource());
		if (!way.joined() || !(bound instanceof ConnectionHolder holder) || !holder.hasTimeout()) {
			return DataSourceUtils.getConnection(way.dataSource());
		}
		try {
			return new TransactionAwareDataSourceProxy(way.dataSource()).getConnection();
		}
		catch (SQLException ex) {
			throw translate(what, ex);
		}
	}

	/**
	 * Run a transaction again if another one got in its way. In a session that is not
	 * read committed, a dispatch that has waited for a unique key fails when the key is
	 * taken, instead of getting the id of the job that took it. A new transaction sees
	 * that job.
	 */
	private static <T> T again(String what, Whole<T> whole) throws SQLException {
		for (int tries = 1;; tries++) {
			try {
				return whole.run();
			}
			catch (PessimisticLockingFailureException ex) {
				if (tries == TRIES) {
					throw ex;
				}
				logger.debug("The {} was rolled back and is tried again: {}", what, ex.getMessage());
			}
		}
	}

	private <T> T run(Connection connection, String what, Work<T> work) {
		try {
			return work.run(connection);
		}
		catch (SQLException ex) {
			throw translate(what, ex);
		}
	}

	// The statement is its own transaction, so if its answer is lost, the answer to a
	// commit is lost.
	private <T> T byItself(Connection connection, String what, Work<T> work) {
		try {
			return work.run(connection);
		}
		catch (SQLException ex) {
			throw commitFailed(what, ex);
		}
	}

	private <T> T behindSavepoint(Connection connection, String what, Work<T> work) throws SQLException {
		Savepoint savepoint = connection.setSavepoint();
		T result;
		try {
			result = run(connection, what, work);
		}
		catch (RuntimeException | Error ex) {
			undo(() -> connection.rollback(savepoint), ex);
			throw ex;
		}
		connection.releaseSavepoint(savepoint);
		return result;
	}

	private <T> T inTransaction(Connection connection, String what, Work<T> work) throws SQLException {
		connection.setAutoCommit(false);
		try {
			return committed(connection, what, work);
		}
		finally {
			reset(connection);
		}
	}

	/**
	 * Go back to autocommit, which commits what is open. So where even the rollback has
	 * failed the connection is given up, and the server rolls back.
	 */
	private static void reset(Connection connection) {
		try {
			if (TransactionResources.isOpen(connection)) {
				connection.abort(Runnable::run);
			}
			else {
				connection.setAutoCommit(true);
			}
		}
		catch (SQLException ex) {
			logger.debug("A connection could not be reset: {}", SqlErrors.withoutDetail(ex));
		}
	}

	private <T> T committed(Connection connection, String what, Work<T> work) {
		T result;
		try {
			result = run(connection, what, work);
		}
		catch (RuntimeException | Error ex) {
			undo(connection::rollback, ex);
			throw ex;
		}
		try {
			connection.commit();
		}
		catch (SQLException ex) {
			RuntimeException failure = commitFailed(what, ex);
			undo(connection::rollback, failure);
			throw failure;
		}
		return result;
	}

	private static void undo(Undo undo, Throwable failure) {
		try {
			undo.run();
		}
		catch (SQLException ex) {
			failure.addSuppressed(safe(ex));
		}
		catch (RuntimeException | Error ex) {
			// Without memory both may be the same object.
			if (ex != failure) {
				failure.addSuppressed(ex);
			}
		}
	}

	private RuntimeException commitFailed(String what, SQLException ex) {
		return SqlErrors.isOutcomeUnknown(ex) ? unknown(what, ex) : translate(what, ex);
	}

	private DataAccessException translate(String what, SQLException ex) {
		SQLException safe = safe(ex);
		DataAccessException translated = this.translator.translate(what, null, safe);
		if (translated instanceof BadSqlGrammarException) {
			// A table or a privilege is missing. Its message would show the statement
			// instead of what the database says.
			return new InvalidDataAccessResourceUsageException(what + "; " + safe.getMessage(), safe);
		}
		return (translated != null) ? translated : new UncategorizedSQLException(what, null, safe);
	}

	private static DispatchOutcomeUnknownException unknown(String what, SQLException ex) {
		return new DispatchOutcomeUnknownException(
				"The answer to the " + what + " was lost, and nobody can tell whether it was committed. "
						+ "Dispatch again only with the same unique key, or if a second job does no harm.",
				safe(ex));
	}

	// The driver's message quotes the row that was refused.
	private static SQLException safe(SQLException ex) {
		SQLException safe = new SQLException(SqlErrors.withoutDetail(ex), ex.getSQLState(), ex.getErrorCode());
		safe.setStackTrace(ex.getStackTrace());
		return safe;
	}

	/**
	 * Inserts on a connection. In a transaction of their own they may be run again.
	 *
	 * @param <T> the type of the answer
	 */
	@FunctionalInterface
	interface Work<T> {

		T run(Connection connection) throws SQLException;

	}

	/**
	 * All that is to be done in a transaction, with its end.
	 *
	 * @param <T> the type of the answer
	 */
	@FunctionalInterface
	private interface Whole<T> {

		T run() throws SQLException;

	}

	/**
	 * Takes something back.
	 */
	@FunctionalInterface
	private interface Undo {

		void run() throws SQLException;

	}

}
