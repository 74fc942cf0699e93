package io.gator.worker;

import java.util.HashMap;
import java.util.Map;

import io.gator.JobContext;
import io.gator.JobListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What a thread carries while it runs a handler, and its removal: nothing that one
 * handler, or one listener, leaves on its thread may reach the next one.
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
			throw new IllegalStateException("The handler left a transaction open, which is rolled back");
		}
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
		resources.forEach((key, resource) -> {
			TransactionSynchronizationManager.unbindResourceIfPossible(key);
			if (resource instanceof ConnectionHolder holder) {
				rollBack(holder);
			}
		});
		TransactionSynchronizationManager.clear();
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

}
