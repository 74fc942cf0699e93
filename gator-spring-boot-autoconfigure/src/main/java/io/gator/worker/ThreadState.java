package io.gator.worker;

import java.util.HashMap;
import java.util.Map;

import io.gator.JobContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What a thread carries while it runs a handler, and the broom behind it: nothing that
 * one handler leaves on its thread may reach the next one.
 */
final class ThreadState {

	private static final Logger logger = LoggerFactory.getLogger(ThreadState.class);

	private ThreadState() {
	}

	static void enter(JobContext job) {
		MDC.put("jobId", Long.toString(job.id()));
		MDC.put("jobName", job.name());
		MDC.put("jobQueue", job.queue());
		MDC.put("jobAttempt", Integer.toString(job.attempt()));
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
	 * Roll back what a handler has left open, so that what is called for the job after it
	 * does not take part in it.
	 * @param job the name of the job
	 */
	static void clean(String job) {
		if (isInTransaction() || !TransactionSynchronizationManager.getResourceMap().isEmpty()) {
			sweep(job);
		}
	}

	private static void sweep(String job) {
		logger.error("The handler of {} left a transaction open; it is rolled back", job);
		// A copy: what it shows is what is taken away here.
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
			logger.warn("A connection that a handler left behind cannot be released: {}", ErrorText.of(ex));
		}
	}

}
