package io.gator.maintenance;

import java.time.Duration;

import io.gator.store.UpkeepStore;

/**
 * Deletes the history that is too old, a chunk at a time, so that nobody waits for it.
 */
public final class HistoryPruner {

	private static final int CHUNK = 5_000;

	/** The rest is left for the next time, so that other duties have their turn. */
	private static final int CHUNKS = 100;

	private final UpkeepStore store;

	private final Duration retention;

	/**
	 * Create a pruner.
	 * @param store where the history is
	 * @param retention how long it is kept
	 */
	public HistoryPruner(UpkeepStore store, Duration retention) {
		this.store = store;
		this.retention = retention;
	}

	/**
	 * Delete what is too old.
	 * @return how many rows
	 */
	public int runOnce() {
		int total = 0;
		for (int chunk = 0; chunk < CHUNKS; chunk++) {
			int deleted = this.store.pruneHistory(this.retention, CHUNK);
			total += deleted;
			if (deleted < CHUNK) {
				break;
			}
		}
		return total;
	}

}
