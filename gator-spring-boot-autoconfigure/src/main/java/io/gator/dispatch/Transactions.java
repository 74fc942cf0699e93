package io.gator.dispatch;

import javax.sql.DataSource;

import io.gator.JobDispatchException;
import io.gator.store.TransactionResources;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Looks at the caller's transaction.
 */
final class Transactions {

	private final DataSource dataSource;

	Transactions(DataSource dataSource) {
		this.dataSource = dataSource;
	}

	/**
	 * Find out how to write.
	 * @param target the job, for the message
	 * @return how, and on which {@code DataSource}
	 * @throws JobDispatchException if there is a transaction that cannot be joined
	 */
	Way find(Target target) {
		DataSource bound = TransactionResources.find(this.dataSource);
		boolean synchronizing = TransactionSynchronizationManager.isSynchronizationActive();
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			// With synchronization, a connection may be bound though there is no
			// transaction; without it, the transaction manager does not tell of its own.
			return (bound != null && !synchronizing) ? new Way(bound, true, false)
					: new Way(this.dataSource, false, false);
		}
		if (!synchronizing) {
			// After completion: what the transaction manager still shows is over.
			return new Way((bound != null) ? bound : this.dataSource, false, false);
		}
		if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			throw target.refused("the transaction is read-only. Dispatch from one that may write, or from none");
		}
		if (bound == null) {
			throw target.refused("the transaction does not include the DataSource in which Gator keeps its jobs, so "
					+ "the job could not share its fate. Use that DataSource's transaction manager, or dispatch "
					+ "outside of the transaction");
		}
		return new Way(bound, true, true);
	}

	/**
	 * How to write.
	 *
	 * @param dataSource whose connection to take, through Spring
	 * @param joined whether somebody else commits
	 * @param synchronizing whether that one tells when it has
	 */
	record Way(DataSource dataSource, boolean joined, boolean synchronizing) {

	}

}
