package io.gator.worker;

import java.util.HashMap;
import java.util.Map;

import io.gator.JobContext;
import io.gator.JobListener;
import io.gator.store.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What a thread carries while it runs a handler, and its removal: no transaction, logging
 * context or class loader that one handler, or one listener, leaves on its thread may
 * reach the next one. Other thread locals are the application's.
 */
final class ThreadState {

	private static final Logger logger = LoggerFactory.getLogger(ThreadState.class);

	/**
	 * The context class loader of each thread before anything of the application has run
	 * on it.
	 */
	private static final ThreadLocal<@Nullable ClassLoader> loaders = ThreadLocal
		.withInitial(() -> Thread.currentThread().getContextClassLoader());

	private ThreadState() {
	}

	/**
	 * Note the context class loader of the current thread, before anything of the
	 * application runs on it.
	 */
	static void begin() {
		loaders.get();
	}

	static void enter(JobContext job) {
		MDC.put(MdcKeys.ID, Long.toString(job.id()));
		MDC.put(MdcKeys.NAME, job.name());
		MDC.put(MdcKeys.QUEUE, job.queue());
		MDC.put(MdcKeys.ATTEMPT, Integer.toString(job.attempt()));
	}

	/**
	 * Require that the handler has ended its transactions: what it did in one that is
	 * open is lost.
	 * @throws IllegalStateException if one is open
	 */
	static void requireNoTransaction() {
		if (isInTransaction()) {
			throw leftOpen();
		}
	}

	static IllegalStateException leftOpen() {
		return new IllegalStateException("The handler left a transaction open, which is rolled back");
	}

	private static boolean isInTransaction() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				|| TransactionSynchronizationManager.isActualTransactionActive();
	}

	static void leave(String job) {
		MDC.clear();
		clean(job);
	}

	/**
	 * Roll back what a handler has left open, and undo what it has set, so that what is
	 * called for the job after it does not take part in it.
	 * @param job the name of the job
	 */
	static void clean(String job) {
		clean("The handler of", job);
	}

	/**
	 * Roll back what a listener has left open, and undo what it has set: its thread goes
	 * on with other listeners, with events of other jobs, or with a handler.
	 * @param listener the listener
	 */
	static void clean(JobListener listener) {
		clean("Listener", listener.getClass().getName());
	}

	private static void clean(String who, String name) {
		Thread thread = Thread.currentThread();
		ClassLoader loader = loaders.get();
		if (thread.getContextClassLoader() != loader) {
			thread.setContextClassLoader(loader);
		}
		if (isInTransaction() || !TransactionSynchronizationManager.getResourceMap().isEmpty()) {
			sweep(who, name);
		}
	}

	private static void sweep(String who, String name) {
		logger.error("{} {} left a transaction open; it is rolled back", who, name);
		// A copy, because the map is a view of what is taken away here.
		Map<Object, Object> resources = new HashMap<>(TransactionSynchronizationManager.getResourceMap());
		resources.forEach(ThreadState::unbind);
		TransactionSynchronizationManager.clear();
	}

	private static void unbind(Object key, Object resource) {
		TransactionSynchronizationManager.unbindResourceIfPossible(key);
		if (resource instanceof ConnectionHolder holder) {
			rollBack(holder);
		}
	}

	private static void rollBack(ConnectionHolder holder) {
		try {
			var connection = holder.getConnection();
			if (!connection.getAutoCommit()) {
				connection.rollback();
			}
			DataSourceUtils.releaseConnection(connection, null);
		}
		catch (Exception ex) {
			logger.warn("A connection that was left behind cannot be released: {}", ErrorText.of(ex));
		}
	}

	/**
	 * What is bound to a thread within a transaction in which a handler is about to be
	 * called. A transaction that is begun within it, and one that suspends it, take its
	 * synchronizations away until they end.
	 *
	 * @param resources the resources by their keys
	 * @param mark a synchronization of the transaction; {@code null} if it has none
	 */
	record InTransaction(Map<Object, Object> resources, @Nullable TransactionSynchronization mark) {

		static InTransaction now() {
			TransactionSynchronization mark = null;
			if (TransactionSynchronizationManager.isSynchronizationActive()) {
				mark = new TransactionSynchronization() {
				};
				TransactionSynchronizationManager.registerSynchronization(mark);
			}
			return new InTransaction(new HashMap<>(TransactionSynchronizationManager.getResourceMap()), mark);
		}

		/**
		 * Roll back what the handler has begun and left open, so that the transaction
		 * itself can be ended.
		 * @param job the name of the job, for the log
		 * @return whether there was anything
		 */
		boolean restore(String job) {
			Map<Object, Object> now = new HashMap<>(TransactionSynchronizationManager.getResourceMap());
			boolean replaced = this.resources.entrySet()
				.stream()
				.anyMatch((each) -> now.get(each.getKey()) != each.getValue());
			if (!replaced && isMarked()) {
				return false;
			}
			logger.error("The handler of {} left a transaction open; it is rolled back", job);
			now.forEach((key, resource) -> {
				if (this.resources.get(key) != resource) {
					unbind(key, resource);
				}
			});
			if (!isMarked()) {
				// Those of the inner transaction would take the resources of this one
				// for its own.
				if (TransactionSynchronizationManager.isSynchronizationActive()) {
					TransactionSynchronizationManager.clearSynchronization();
				}
				TransactionSynchronizationManager.initSynchronization();
			}
			this.resources.forEach((key, resource) -> {
				if (!TransactionSynchronizationManager.hasResource(key)) {
					TransactionSynchronizationManager.bindResource(key, resource);
				}
			});
			return true;
		}

		private boolean isMarked() {
			return this.mark == null || TransactionSynchronizationManager.isSynchronizationActive()
					&& TransactionSynchronizationManager.getSynchronizations().contains(this.mark);
		}

	}

}
