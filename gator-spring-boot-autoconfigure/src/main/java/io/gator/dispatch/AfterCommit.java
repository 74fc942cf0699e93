package io.gator.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import io.gator.JobListener;
import io.gator.dispatch.Transactions.Way;
import io.gator.store.SqlErrors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.util.function.SingletonSupplier;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Tells hooks and listeners of what was dispatched, when it is committed.
 */
final class AfterCommit {

	private static final Logger logger = LoggerFactory.getLogger(AfterCommit.class);

	private final List<DispatchHook> hooks;

	private final SingletonSupplier<List<JobListener>> listeners;

	AfterCommit(List<DispatchHook> hooks, Iterable<JobListener> listeners) {
		this.hooks = List.copyOf(hooks);
		this.listeners = SingletonSupplier.of(() -> StreamSupport.stream(listeners.spliterator(), false).toList());
	}

	/**
	 * Find the listeners, which are made with the first dispatch. That may fail, so it is
	 * to be done before anything is written.
	 */
	void findListeners() {
		this.listeners.obtain();
	}

	/**
	 * Something was dispatched.
	 * @param way how it was written
	 * @param name the name of the jobs
	 * @param queue their queue
	 * @param ids their ids
	 */
	void dispatched(Way way, String name, String queue, List<Long> ids) {
		Entry entry = new Entry(name, queue, ids.size(), this.listeners.obtain().isEmpty() ? List.of() : ids);
		if (way.synchronizing()) {
			transaction(way).add(entry);
		}
		else {
			tell(List.of(entry));
		}
	}

	private Synchronization transaction(Way way) {
		if (TransactionSynchronizationManager.getResource(this) instanceof Synchronization known) {
			return known;
		}
		Synchronization created = new Synchronization(way.dataSource());
		TransactionSynchronizationManager.registerSynchronization(created);
		TransactionSynchronizationManager.bindResource(this, created);
		return created;
	}

	private void tell(List<Entry> entries) {
		if (entries.isEmpty()) {
			return;
		}
		List<Dispatched> dispatched = together(entries);
		for (DispatchHook hook : this.hooks) {
			quietly(hook, () -> hook.dispatched(dispatched));
		}
		for (JobListener listener : this.listeners.obtain()) {
			for (Entry entry : entries) {
				for (long id : entry.ids()) {
					quietly(listener, () -> listener.dispatched(id, entry.name(), entry.queue()));
				}
			}
		}
	}

	private static List<Dispatched> together(List<Entry> entries) {
		if (entries.size() == 1) {
			// Nearly each dispatch is alone, and each one pays for what is done here.
			Entry only = entries.get(0);
			return List.of(new Dispatched(only.name(), only.queue(), only.count()));
		}
		Map<List<String>, Integer> counts = new LinkedHashMap<>();
		entries.forEach((entry) -> counts.merge(List.of(entry.name(), entry.queue()), entry.count(), Integer::sum));
		return counts.entrySet()
			.stream()
			.map((each) -> new Dispatched(each.getKey().get(0), each.getKey().get(1), each.getValue()))
			.toList();
	}

	private static void quietly(Object called, Runnable call) {
		try {
			call.run();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("{} failed to hear of a dispatch, which changes nothing", called.getClass().getName(), ex);
		}
	}

	private record Entry(String name, String queue, int count, List<Long> ids) {

		boolean isLike(Entry other) {
			return this.name.equals(other.name) && this.queue.equals(other.queue) && this.ids.isEmpty()
					&& other.ids.isEmpty();
		}

		Entry plus(Entry other) {
			return new Entry(this.name, this.queue, this.count + other.count, List.of());
		}

	}

	/**
	 * What was dispatched in one transaction.
	 */
	private final class Synchronization implements TransactionSynchronization {

		private final DataSource dataSource;

		private final List<Entry> entries = new ArrayList<>();

		private final Map<Object, Integer> savepoints = new HashMap<>();

		private int mark;

		private boolean wasCurrent;

		private boolean completing;

		private boolean told;

		Synchronization(DataSource dataSource) {
			this.dataSource = dataSource;
		}

		void add(Entry entry) {
			int last = this.entries.size() - 1;
			if (last >= this.mark && this.entries.get(last).isLike(entry)) {
				this.entries.set(last, this.entries.get(last).plus(entry));
			}
			else {
				this.entries.add(entry);
			}
		}

		// One that is not heard of any more must not be again: another one may be there.
		@Override
		public void suspend() {
			this.wasCurrent = leave();
		}

		@Override
		public void resume() {
			if (this.wasCurrent) {
				TransactionSynchronizationManager.bindResource(AfterCommit.this, this);
			}
		}

		private boolean leave() {
			boolean current = TransactionSynchronizationManager.getResource(AfterCommit.this) == this;
			if (current) {
				TransactionSynchronizationManager.unbindResource(AfterCommit.this);
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
			// One that is not known is older than this object, and so are none of its
			// entries.
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
		}

		// One made by another's beforeCompletion was not asked to complete, and holds
		// what came after the commit as well.
		@Override
		public void afterCommit() {
			if (this.completing) {
				this.told = true;
				tell(this.entries);
			}
		}

		@Override
		public void afterCompletion(int status) {
			leave();
			if (status == STATUS_COMMITTED && !this.told && commitLate()) {
				tell(this.entries);
			}
		}

		/**
		 * A dispatch from another's {@code afterCommit}, such as a transactional event
		 * listener, comes too late for the commit, on a connection that looks as if it
		 * were in a transaction. Nobody but us would commit it.
		 */
		private boolean commitLate() {
			Connection connection = DataSourceUtils.getConnection(this.dataSource);
			try {
				if (!connection.getAutoCommit()) {
					connection.commit();
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

	}

}
