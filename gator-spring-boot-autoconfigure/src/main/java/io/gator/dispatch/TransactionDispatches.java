package io.gator.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.gator.store.SqlErrors;
import io.gator.store.TransactionResources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What was dispatched in one transaction, told of when it is committed. What a savepoint
 * took back is not told.
 */
final class TransactionDispatches implements TransactionSynchronization {

	private static final Logger logger = LoggerFactory.getLogger(TransactionDispatches.class);

	private final Object key;

	private final DataSource dataSource;

	private final Consumer<List<Entry>> tell;

	private final List<Entry> entries = new ArrayList<>();

	private final Map<Object, Integer> savepoints = new HashMap<>();

	private int mark;

	private boolean wasCurrent;

	private boolean completing;

	private boolean failed;

	private boolean told;

	private boolean mayCommit;

	/**
	 * Create what is to be registered.
	 * @param key the key to which it is bound as a resource
	 * @param dataSource the data source of the transaction
	 * @param tell hears of what was committed
	 */
	TransactionDispatches(Object key, DataSource dataSource, Consumer<List<Entry>> tell) {
		this.key = key;
		this.dataSource = dataSource;
		this.tell = tell;
	}

	/**
	 * Add what was dispatched.
	 * @param entry what it was
	 * @param mayCommit whether the connection may be committed if nobody else does
	 */
	void add(Entry entry, boolean mayCommit) {
		this.mayCommit |= mayCommit;
		int last = this.entries.size() - 1;
		if (last >= this.mark && this.entries.get(last).isLike(entry)) {
			this.entries.set(last, this.entries.get(last).plus(entry));
		}
		else {
			this.entries.add(entry);
		}
	}

	@Override
	public void suspend() {
		this.wasCurrent = leave();
	}

	// Only what was bound when it was suspended: another one may be there by now.
	@Override
	public void resume() {
		if (this.wasCurrent) {
			TransactionSynchronizationManager.bindResource(this.key, this);
		}
	}

	private boolean leave() {
		boolean current = TransactionSynchronizationManager.getResource(this.key) == this;
		if (current) {
			TransactionSynchronizationManager.unbindResource(this.key);
		}
		return current;
	}

	@Override
	public void savepoint(Object savepoint) {
		this.mark = this.entries.size();
		this.savepoints.put(savepoint, this.mark);
	}

	@Override
	public void savepointRollback(Object savepoint) {
		// One that is not known is older than this object, so all entries came after it.
		int size = this.savepoints.getOrDefault(savepoint, 0);
		if (size < this.entries.size()) {
			this.entries.subList(size, this.entries.size()).clear();
		}
		this.mark = this.entries.size();
	}

	// Whoever dispatches from now on is not heard by this one any more.
	@Override
	public void beforeCompletion() {
		this.completing = true;
		leave();
		this.failed = TransactionResources.isFailed(this.dataSource);
	}

	// One made by another's beforeCompletion was not asked to complete, and holds
	// what came after the commit as well.
	@Override
	public void afterCommit() {
		if (this.completing) {
			this.told = true;
			if (this.failed) {
				logger.error("{} dispatched in a transaction do not exist: a statement of it had failed, so the "
						+ "database rolled back when told to commit", describe());
				return;
			}
			this.tell.accept(this.entries);
		}
	}

	@Override
	public void afterCompletion(int status) {
		leave();
		if (status == STATUS_COMMITTED && !this.told && (!this.mayCommit || commitLate())) {
			this.tell.accept(this.entries);
		}
	}

	/**
	 * A dispatch from another's {@code afterCommit}, such as a transactional event
	 * listener, comes too late for the commit, on a connection that looks as if it were
	 * in a transaction. Nobody but us would commit it, unless it is that of a transaction
	 * around the one that is over.
	 */
	private boolean commitLate() {
		Connection connection = DataSourceUtils.getConnection(this.dataSource);
		try {
			if (!connection.getAutoCommit()) {
				boolean failed = TransactionResources.isFailed(this.dataSource);
				connection.commit();
				if (failed) {
					logger.error("{} dispatched after the commit of a transaction do not exist: a later statement "
							+ "failed, so the database rolled back", describe());
					return false;
				}
			}
			return true;
		}
		catch (SQLException ex) {
			logger.error("{} dispatched after the commit of a transaction could not be committed: {}", describe(),
					SqlErrors.withoutDetail(ex));
			return false;
		}
		finally {
			DataSourceUtils.releaseConnection(connection, this.dataSource);
		}
	}

	private String describe() {
		return this.entries.stream()
			.map((entry) -> entry.count() + " " + entry.name() + " on " + entry.queue())
			.collect(Collectors.joining(", ", "Jobs (", ")"));
	}

	/**
	 * Jobs of one name that went to one queue.
	 *
	 * @param name the name of the jobs
	 * @param queue their queue
	 * @param count how many
	 * @param ids their ids; empty if nobody listens to each
	 */
	record Entry(String name, String queue, int count, List<Long> ids) {

		boolean isLike(Entry other) {
			return this.name.equals(other.name) && this.queue.equals(other.queue) && this.ids.isEmpty()
					&& other.ids.isEmpty();
		}

		Entry plus(Entry other) {
			return new Entry(this.name, this.queue, this.count + other.count, List.of());
		}

	}

}
