package io.gator.worker;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;

import javax.sql.DataSource;

import io.gator.store.ErrorText;
import io.gator.store.JobStore;
import io.gator.store.Settlement;
import io.gator.store.SqlErrors;
import io.gator.store.StoreException;
import io.gator.store.TransactionResources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs a handler and writes its success in one transaction of the application's.
 */
public final class TransactionalCalls {

	private static final Logger logger = LoggerFactory.getLogger("io.gator.jobs");

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
	 * @return what was written
	 * @throws Exception what the handler threw, or what kept the transaction from
	 * committing
	 * @throws IllegalStateException if the transaction does not include the data source
	 * @throws LeaseLostException if the job was taken from the pool meanwhile
	 */
	Settlement.Succeeded call(String job, JobStore store, Callable<Settlement.Succeeded> handler) throws Exception {
		TransactionStatus status = this.transactions
			.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
		Completion completion;
		Settlement.Succeeded success;
		try {
			DataSource included = included(job);
			success = call(job, handler);
			if (!settle(included, store, success)) {
				throw new LeaseLostException(job);
			}
			// Registered after the handler's own callbacks, so that it sees what they
			// leave.
			completion = Completion.ofTransaction(included);
		}
		catch (Throwable ex) {
			rollBack(status, ex);
			throw ex;
		}
		try {
			this.transactions.commit(status);
		}
		catch (Throwable ex) {
			if (!completion.begun || !completion.committed && !isCommitted(store, success, ex)) {
				throw ex;
			}
			logger.warn("Succeeded, though a callback after the commit failed: {}. {}", job, ErrorText.of(ex));
		}
		if (completion.failed) {
			throw new UnexpectedRollbackException("The database has rolled back the transaction of " + job
					+ ", because a callback before the commit kept the error of a statement to itself");
		}
		return success;
	}

	/**
	 * Call the handler within the transaction, and make sure that it is in it still when
	 * it comes back: what follows would go into a transaction that the handler has begun
	 * and left open, or into none.
	 */
	private static Settlement.Succeeded call(String job, Callable<Settlement.Succeeded> handler) throws Exception {
		ThreadState.InTransaction before = ThreadState.InTransaction.now();
		Settlement.Succeeded success;
		try {
			success = handler.call();
		}
		catch (Throwable ex) {
			before.restore(job);
			throw ex;
		}
		if (before.restore(job)) {
			throw ThreadState.leftOpen();
		}
		return success;
	}

	/**
	 * Where the connection is gone the rollback fails too. What the handler threw decides
	 * all the same what becomes of the job.
	 */
	private void rollBack(TransactionStatus status, Throwable reason) {
		try {
			this.transactions.rollback(status);
		}
		catch (Throwable ex) {
			if (ex != reason) {
				reason.addSuppressed(ex);
			}
		}
	}

	/**
	 * Whether a commit that failed was carried out. Persistence providers have callbacks
	 * of their own after a commit, whose errors look like those of the commit, and
	 * Spring's callbacks are told of a rollback then.
	 * @throws CommitUnknownException if nobody knows
	 */
	private static boolean isCommitted(JobStore store, Settlement.Succeeded success, Throwable failure) {
		if (isUnknown(failure)) {
			throw new CommitUnknownException(failure);
		}
		try {
			return store.live(List.of(success.id())).isEmpty();
		}
		catch (StoreException ex) {
			throw new CommitUnknownException(failure);
		}
	}

	/**
	 * Whether a failed commit may have been carried out. If the connection broke, the
	 * transaction manager tries to roll back and reports only the failure of that, which
	 * has no SQL state, because nothing was sent.
	 */
	private static boolean isUnknown(Throwable failure) {
		if (failure instanceof VirtualMachineError) {
			// There may have been no memory for the answer.
			return true;
		}
		return SqlErrors.cause(failure, SQLException.class)
			.map((sql) -> sql.getSQLState() == null || SqlErrors.isOutcomeUnknown(sql))
			.orElse(false);
	}

	/**
	 * The data source under whose name the transaction has its connection. It is looked
	 * for with each call, because not all transaction managers tell at start-up what they
	 * manage.
	 */
	private DataSource included(String job) {
		DataSource included = TransactionResources.find(this.dataSource);
		if (included == null) {
			throw new IllegalStateException("The handler of " + job + " was not called: the transactions of "
					+ this.transactions.getClass().getName() + " do not include the DataSource in which Gator keeps "
					+ "its jobs, so the success could not commit with the work. Declare a PlatformTransactionManager "
					+ "of that DataSource, or remove transactional = true from the job.");
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
	 * Remembers how far the commit has come. What a callback throws, before the commit
	 * itself or after it, comes out of it as if the commit had failed.
	 */
	private static final class Completion implements TransactionSynchronization {

		private final DataSource dataSource;

		private boolean begun;

		private boolean failed;

		private boolean committed;

		private Completion(DataSource dataSource) {
			this.dataSource = dataSource;
		}

		static Completion ofTransaction(DataSource dataSource) {
			Completion completion = new Completion(dataSource);
			// Without synchronization there are no callbacks that could fail.
			if (TransactionSynchronizationManager.isSynchronizationActive()) {
				TransactionSynchronizationManager.registerSynchronization(completion);
			}
			else {
				completion.begun = true;
			}
			return completion;
		}

		/** The last to be called before the commit itself. */
		@Override
		public void beforeCommit(boolean readOnly) {
			this.begun = true;
		}

		@Override
		public void beforeCompletion() {
			this.failed = TransactionResources.isFailed(this.dataSource);
		}

		@Override
		public void afterCompletion(int status) {
			this.committed = (status == STATUS_COMMITTED) && !this.failed;
		}

	}

}
