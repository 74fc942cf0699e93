package io.gator.maintenance;

import java.util.Collection;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

import io.gator.store.WorkerStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the jobs of dead pools from them, to be run again. Any process does it for all;
 * the database decides which pools are dead.
 */
public final class Rescuer {

	private static final Logger logger = LoggerFactory.getLogger(Rescuer.class);

	private final WorkerStore store;

	private final Supplier<Collection<Long>> alive;

	private final IntConsumer rescued;

	/**
	 * Create a rescuer.
	 * @param store where pools keep their identities
	 * @param alive the identities of this process, which lives
	 * @param rescued told how many jobs were rescued
	 */
	public Rescuer(WorkerStore store, Supplier<Collection<Long>> alive, IntConsumer rescued) {
		this.store = store;
		this.alive = alive;
		this.rescued = rescued;
	}

	/**
	 * Rescue what there is to rescue.
	 * @param byLocks whether a free lock shows that a pool is gone; else only the end of
	 * its lease does
	 * @return how many jobs
	 */
	public int runOnce(boolean byLocks) {
		return rescued(this.store.rescue(this.alive.get(), byLocks));
	}

	/**
	 * Rescue also the jobs that are reserved by pools without a row. There should be
	 * none, and looking for them reads the whole table, so it is not done often, and only
	 * by the process with the oldest pool: the work would grow with the number of
	 * processes.
	 * @return how many jobs
	 */
	public int runThoroughly() {
		int jobs = runOnce(false);
		return this.store.isOldest(this.alive.get()) ? jobs + rescued(this.store.rescueOrphans()) : jobs;
	}

	private int rescued(List<Long> jobs) {
		if (!jobs.isEmpty()) {
			logger.warn("Rescued {} jobs of pools that are gone: they will be run again", jobs.size());
			this.rescued.accept(jobs.size());
		}
		return jobs.size();
	}

}
