package io.gator.maintenance;

import io.gator.store.WorkerStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the table of queues true: all that hold jobs are in it, and none that is of no
 * use any more. Beats read the whole table, and pools that serve all queues look into
 * each of them.
 */
public final class QueueKeeper {

	private static final Logger logger = LoggerFactory.getLogger(QueueKeeper.class);

	private final WorkerStore store;

	private final Runnable registerOwn;

	/**
	 * Create a keeper.
	 * @param store where the queues are
	 * @param registerOwn says that the queues which this process serves by name are in
	 * use
	 */
	public QueueKeeper(WorkerStore store, Runnable registerOwn) {
		this.store = store;
		this.registerOwn = registerOwn;
	}

	/**
	 * Make queues known again that hold jobs, dead ones included, but have no row: a
	 * process that dispatched to such a queue could not write its name, or somebody has
	 * emptied the table of queues.
	 */
	public void registerMissing() {
		int queues = this.store.registerMissingQueues();
		if (queues > 0) {
			logger.warn("{} queues that hold jobs were missing from gator_queue and were added", queues);
		}
	}

	/**
	 * Forget queues that nobody has used for a day. Any process does it for all, so each
	 * one says before which queues are its own.
	 */
	public void forgetUnused() {
		this.registerOwn.run();
		int queues = this.store.forgetUnusedQueues();
		if (queues > 0) {
			logger.info(
					"{} queues were removed from gator_queue: they hold no jobs, and nobody has used them for a day",
					queues);
		}
	}

}
