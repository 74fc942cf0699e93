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

	/**
	 * Called only where it matters: a dispatch may come while beans are being created.
	 */
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
		// A connection is bound, but Spring shows no transaction. Either the transaction
		// manager does not announce its transactions, or the transaction of the
		// connection has been completed, and another transaction that came meanwhile has
		// cleared what Spring showed of it. Nobody would commit what joins a completed
		// one.
		boolean isOver = tells() && TransactionResources.isIdle(bound);
		return new Way(bound, false, isOver);
	}

	private Way inTransaction(Target target, @Nullable DataSource bound) {
		boolean synchronizing = TransactionSynchronizationManager.isSynchronizationActive();
		if ((synchronizing || bound != null) && TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			throw target.refused("the transaction is read-only. Dispatch from one that may write, or from none");
		}
		// The transaction may be over already, inside another one that goes on, and the
		// connection may be that of the outer one. If the connection has uncommitted
		// work, it must not be committed here.
		boolean among = bound != null && TransactionResources.isAmongOthers(bound);
		boolean mayCommit = bound == null || !among || TransactionResources.isIdle(bound);
		if (!synchronizing) {
			// This is after completion: the transaction that Spring still shows is over.
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
	 * Whether the current transaction was declared for another data source, inside the
	 * transaction to which the connection belongs. If a transaction was begun by hand, or
	 * a method takes part in an existing one, Spring does not show the data source, and
	 * this returns {@code false}.
	 */
	private static boolean isDeclaredForAnother(DataSource bound) {
		try {
			return TransactionAspectSupport.currentTransactionStatus() instanceof DefaultTransactionStatus status
					&& status.isNewTransaction()
					// While callbacks run, the status is that of the transaction around
					// theirs.
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
	 * @param dataSource the data source whose connection to take, through Spring
	 * @param synchronizing whether somebody else commits, and tells when it has
	 * @param mayCommit whether the connection may be committed where nobody else does, or
	 * has done so before
	 */
	record Way(DataSource dataSource, boolean synchronizing, boolean mayCommit) {

		/**
		 * Whether somebody else commits.
		 * @return whether the insert must not be committed here
		 */
		boolean joined() {
			return this.synchronizing || !this.mayCommit;
		}

	}

}
