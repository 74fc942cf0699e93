package io.gator.dispatch;

import java.util.function.Supplier;

import javax.sql.DataSource;

import io.gator.JobDispatchException;
import io.gator.store.TransactionResources;
import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Looks at the caller's transaction.
 */
final class Transactions {

	private final DataSource dataSource;

	/** Asked for only where it matters: dispatches may come while beans are made. */
	private final Supplier<@Nullable PlatformTransactionManager> manager;

	Transactions(DataSource dataSource, Supplier<@Nullable PlatformTransactionManager> manager) {
		this.dataSource = dataSource;
		this.manager = manager;
	}

	/**
	 * Find out how to write.
	 * @param target the job, for the message
	 * @return how, and on which {@code DataSource}
	 * @throws JobDispatchException if there is a transaction that cannot be joined
	 */
	Way find(Target target) {
		DataSource bound = TransactionResources.find(this.dataSource);
		return TransactionSynchronizationManager.isActualTransactionActive() ? inTransaction(target, bound)
				: withoutTransaction(bound);
	}

	private Way withoutTransaction(@Nullable DataSource bound) {
		if (bound == null || TransactionSynchronizationManager.isSynchronizationActive()) {
			// With synchronization, a connection may be bound though there is no
			// transaction.
			return new Way(this.dataSource, false, true);
		}
		// Either the transaction manager does not tell of its transactions, or this is
		// after the completion of one, and another one that came meanwhile has taken what
		// was shown of it along. Nobody would commit what joined that.
		boolean isOver = tells() && TransactionResources.isIdle(bound);
		return new Way(bound, false, isOver);
	}

	private Way inTransaction(Target target, @Nullable DataSource bound) {
		boolean synchronizing = TransactionSynchronizationManager.isSynchronizationActive();
		if ((synchronizing || bound != null) && TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			throw target.refused("the transaction is read-only. Dispatch from one that may write, or from none");
		}
		// A transaction that is over may lie inside another one that goes on, and the
		// connection be the outer one's: with work on it, it is not ours to end.
		boolean among = bound != null && TransactionResources.isAmongOthers(bound);
		boolean mayCommit = bound == null || !among || TransactionResources.isIdle(bound);
		if (!synchronizing) {
			// After completion: what the transaction manager still shows is over.
			return new Way((bound != null) ? bound : this.dataSource, false, mayCommit);
		}
		if (bound == null || among && isDeclaredForAnother(bound)) {
			throw target.refused("the transaction does not include the DataSource in which Gator keeps its jobs, so "
					+ "the job could not share its fate. Use that DataSource's transaction manager, or dispatch "
					+ "outside of the transaction");
		}
		return new Way(bound, true, mayCommit);
	}

	private boolean tells() {
		return this.manager.get() instanceof AbstractPlatformTransactionManager known
				&& known.getTransactionSynchronization() != AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER;
	}

	/**
	 * Whether the transaction in force is one that was declared for another data source,
	 * inside of the one to which the connection belongs. Of those begun by hand, and of
	 * methods that take part in another's, Spring does not show whose they are.
	 */
	private static boolean isDeclaredForAnother(DataSource bound) {
		try {
			return TransactionAspectSupport.currentTransactionStatus() instanceof DefaultTransactionStatus status
					&& status.isNewTransaction()
					// While callbacks run it is the one around theirs.
					&& status.getTransactionName().equals(TransactionSynchronizationManager.getCurrentTransactionName())
					&& status.getTransaction() instanceof JdbcTransactionObjectSupport own && own.hasConnectionHolder()
					&& own.getConnectionHolder() != TransactionSynchronizationManager.getResource(bound);
		}
		catch (NoTransactionException ex) {
			return false;
		}
	}

	/**
	 * How to write.
	 *
	 * @param dataSource whose connection to take, through Spring
	 * @param synchronizing whether somebody else commits, and tells when it has
	 * @param mayCommit whether the connection may be committed where nobody else does, or
	 * has done so before
	 */
	record Way(DataSource dataSource, boolean synchronizing, boolean mayCommit) {

		/**
		 * Whether somebody else commits.
		 * @return whether it is not to be committed with the insert
		 */
		boolean joined() {
			return this.synchronizing || !this.mayCommit;
		}

	}

}
