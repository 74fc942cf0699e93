package io.gator.worker;

import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import io.gator.store.JobStore;
import io.gator.store.Settlement;
import io.gator.store.SqlErrors;
import io.gator.store.TransactionResources;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * Runs a handler and writes its success in one transaction of the application's.
 */
public final class TransactionalCalls {

	private final PlatformTransactionManager transactions;

	private final DataSource dataSource;

	/**
	 * Create the calls.
	 * @param transactions the transaction manager of the data source
	 * @param dataSource the data source that holds Gator's tables
	 */
	public TransactionalCalls(PlatformTransactionManager transactions, DataSource dataSource) {
		this.transactions = transactions;
		this.dataSource = dataSource;
	}

	/**
	 * Call a handler, settle, commit.
	 * @param job id, name and queue, for the error
	 * @param store writes the success
	 * @param handler calls the handler and says what to write
	 * @throws Exception what the handler threw, or what kept the transaction from
	 * committing
	 * @throws IllegalStateException if the transaction does not include the data source
	 * @throws LeaseLostException if the job was taken from the pool meanwhile
	 */
	void call(String job, JobStore store, TransactionalHandler handler) throws Exception {
		TransactionStatus status = this.transactions
			.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
		boolean rollback = true;
		try {
			DataSource included = included(job);
			Settlement.@Nullable Succeeded success = handler.call();
			if (success != null && !settle(included, store, success)) {
				throw new LeaseLostException(job);
			}
			rollback = false;
		}
		finally {
			if (rollback && !status.isCompleted()) {
				this.transactions.rollback(status);
			}
		}
		try {
			this.transactions.commit(status);
		}
		catch (RuntimeException ex) {
			throw isUnknown(ex) ? new CommitUnknownException(ex) : ex;
		}
	}

	/**
	 * Whether a failed commit may have been carried out. Where the connection broke, the
	 * transaction manager tries to roll back and tells of that failure only, which has no
	 * state, because nothing was sent.
	 */
	private static boolean isUnknown(RuntimeException failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof SQLException sql) {
				return sql.getSQLState() == null || SqlErrors.isConnectionFailure(sql);
			}
		}
		return false;
	}

	/**
	 * The data source under whose name the transaction has its connection. Not all
	 * managers tell at the start what they manage.
	 */
	private DataSource included(String job) {
		DataSource included = TransactionResources.find(this.dataSource);
		if (included == null) {
			throw new IllegalStateException("The handler of " + job + " was not called: the transactions of "
					+ this.transactions.getClass().getName() + " do not include the DataSource in which Gator keeps "
					+ "its jobs, so the success could not commit with the work. Declare a PlatformTransactionManager "
					+ "of that DataSource, or take transactional = true away from the job.");
		}
		return included;
	}

	private static boolean settle(DataSource dataSource, JobStore store, Settlement.Succeeded success)
			throws SQLException {
		Connection connection = DataSourceUtils.getConnection(dataSource);
		try {
			return store.settle(connection, success);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, dataSource);
		}
	}

	/**
	 * Calls the handler.
	 */
	@FunctionalInterface
	interface TransactionalHandler {

		Settlement.@Nullable Succeeded call() throws Exception;

	}

}
