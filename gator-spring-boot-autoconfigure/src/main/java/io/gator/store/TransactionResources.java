package io.gator.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Tells which connections belong to the transaction of this thread.
 */
public final class TransactionResources {

	private TransactionResources() {
	}

	/**
	 * Find the key under which the transaction manager has bound the connection of its
	 * transaction: this {@code DataSource}, or one that wraps the same.
	 * @param dataSource the data source
	 * @return the key; {@code null} if no transaction includes this data source
	 */
	public static @Nullable DataSource find(DataSource dataSource) {
		if (isPartOfTransaction(dataSource, TransactionSynchronizationManager.getResource(dataSource))) {
			return dataSource;
		}
		for (Map.Entry<Object, Object> resource : TransactionSynchronizationManager.getResourceMap().entrySet()) {
			if (resource.getKey() instanceof DataSource other && isSame(other, dataSource)
					&& isPartOfTransaction(other, resource.getValue())) {
				return other;
			}
		}
		return null;
	}

	/**
	 * Whether another transaction is open on this thread as well. One of the two was
	 * begun inside the other. Spring leaves the connection of the outer transaction
	 * bound, while the callbacks and flags in force are those of the inner one, and
	 * nothing shows which of the two is the inner one.
	 * @param key what {@link #find} has found
	 * @return whether there is another transaction
	 */
	public static boolean isAmongOthers(DataSource key) {
		// The managers of JPA and Hibernate do not mark the connection, and bind more
		// than it for one transaction: then another resource is no sign of another
		// transaction.
		boolean alone = TransactionSynchronizationManager.getResource(key) instanceof ConnectionHolder own
				&& own.isSynchronizedWithTransaction();
		for (Map.Entry<Object, Object> resource : TransactionSynchronizationManager.getResourceMap().entrySet()) {
			if (resource.getKey() instanceof DataSource other) {
				if (!isSame(other, key) && isPartOfTransaction(other, resource.getValue())) {
					return true;
				}
			}
			else if (alone && resource.getValue() instanceof ResourceHolderSupport holder
					&& holder.isSynchronizedWithTransaction()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Whether nothing was sent on the connection since the last commit. If the driver
	 * cannot be asked, something may have been sent, and be somebody's work.
	 * @param key what {@link #find} has found
	 * @return whether there is nothing that a commit or a rollback would concern;
	 * {@code false} where the driver cannot be asked
	 */
	public static boolean isIdle(DataSource key) {
		return isIn(TransactionState.IDLE, key);
	}

	/**
	 * Whether a statement of the transaction has failed. The server rolls back what it is
	 * then told to commit, and the driver tells nobody.
	 * @param key what {@link #find} has found
	 * @return whether a commit would be a rollback; {@code false} where the driver cannot
	 * be asked
	 */
	public static boolean isFailed(DataSource key) {
		return isIn(TransactionState.FAILED, key);
	}

	private static boolean isIn(TransactionState state, DataSource key) {
		if (!TransactionSynchronizationManager.hasResource(key)) {
			return false;
		}
		Connection connection = DataSourceUtils.getConnection(key);
		try {
			return isIn(state, connection);
		}
		finally {
			DataSourceUtils.releaseConnection(connection, key);
		}
	}

	/**
	 * Whether a transaction is open in which something could still be committed.
	 * @param key what {@link #find} has found
	 * @return whether there is one; {@code false} where the driver cannot be asked
	 */
	public static boolean isOpen(DataSource key) {
		return isIn(TransactionState.OPEN, key);
	}

	/**
	 * Whether a transaction is open in which something could still be committed.
	 * @param connection the connection
	 * @return whether there is one; {@code false} where the driver cannot be asked
	 */
	public static boolean isOpen(Connection connection) {
		return isIn(TransactionState.OPEN, connection);
	}

	private static boolean isIn(TransactionState state, Connection connection) {
		try {
			return connection.unwrap(BaseConnection.class).getTransactionState() == state;
		}
		catch (SQLException ex) {
			return false;
		}
	}

	/**
	 * Whether two data sources are one behind what wraps them.
	 * @param one a data source
	 * @param other another
	 * @return whether they are the same
	 */
	public static boolean isSame(DataSource one, DataSource other) {
		return unwrap(one) == unwrap(other);
	}

	static DataSource unwrap(DataSource dataSource) {
		DataSource current = dataSource;
		while (current instanceof DelegatingDataSource delegating && delegating.getTargetDataSource() != null) {
			current = delegating.getTargetDataSource();
		}
		return current;
	}

	// While a transaction of another data source is open, Spring also binds a connection
	// that is only used beside it, and marks that as synchronized. The manager of a data
	// source marks the connection of its own transaction as well; the managers of JPA and
	// Hibernate do not. So of a marked one its holder has to be asked.
	private static boolean isPartOfTransaction(DataSource key, @Nullable Object resource) {
		return resource instanceof ConnectionHolder holder
				&& (!holder.isSynchronizedWithTransaction() || new Begun(key).isBegun());
	}

	/**
	 * Asks a holder whether a transaction manager has begun a transaction on its
	 * connection, which it tells to transaction managers only.
	 */
	private static final class Begun extends DataSourceTransactionManager {

		Begun(DataSource dataSource) {
			super(dataSource);
		}

		boolean isBegun() {
			return isExistingTransaction(doGetTransaction());
		}

	}

}
