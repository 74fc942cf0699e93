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
 * Collects what is dispatched in one transaction and tells it after the commit, without
 * what was rolled back to a savepoint.
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
	 * Create a synchronization, to be registered and bound.
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

	// Only if it was bound when it was suspended: otherwise another object may be bound
	// by now.
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
		// A savepoint that is not known is older than this object, so all entries came
		// after it.
		int size = this.savepoints.getOrDefault(savepoint, 0);
		if (size < this.entries.size()) {
			this.entries.subList(size, this.entries.size()).clear();
		}
		this.mark = this.entries.size();
	}

	// Dispatches from now on are collected by a new object.
	@Override
	public void beforeCompletion() {
		this.completing = true;
		leave();
		this.failed = TransactionResources.isFailed(this.dataSource);
	}

	// An object that was made while another synchronization ran its beforeCompletion has
	// not had its own called. Such an object goes on collecting after the commit, so it
	// waits for afterCompletion.
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
		// A method that is called from afterCompletion may take part in the transaction
		// that is over: Spring runs its callbacks, and commits nothing.
		if (status == STATUS_UNKNOWN && this.told && TransactionResources.isOpen(this.dataSource)) {
			logger.warn("{} dispatched in a transaction that takes part in one that is over, or that does not tell "
					+ "Spring of itself, may not be committed: begin it with REQUIRES_NEW", describe());
		}
	}

	/**
	 * Commit what was dispatched from the {@code afterCommit} of another synchronization,
	 * such as a transactional event listener. Such a dispatch comes too late for the
	 * commit, on a connection that looks as if it were in a transaction. Nobody else
	 * would commit it, unless the connection belongs to a transaction around the one that
	 * is over.
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
	 * @param ids their ids; empty if there are no listeners
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
