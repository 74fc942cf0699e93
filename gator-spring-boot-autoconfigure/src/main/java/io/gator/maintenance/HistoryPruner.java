package io.gator.maintenance;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.gator.store.InsightStore;
import io.gator.store.StoreException;
import io.gator.store.UpkeepStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the history that is too old, a chunk at a time, so that nobody waits for it.
 * <p>
 * While somebody holds an old snapshot it leaves that be: vacuum could not take the rows
 * away, so the table would be as large as before, and whoever reads it would walk dead
 * rows besides.
 */
public final class HistoryPruner {

	private static final Logger logger = LoggerFactory.getLogger(HistoryPruner.class);

	private static final int CHUNK = 5_000;

	/** The rest is left for the next turn, so that other duties have theirs. */
	private static final int CHUNKS = 20;

	/** The time between two turns, unless the history is kept for less. */
	private static final Duration PAUSE = Duration.ofMinutes(1);

	/** An idle process asks next to nothing, however short the history is kept. */
	private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(5);

	/**
	 * Which part of the time turns take at most, one in so many: to find that nothing is
	 * too old may mean to read all of the history, and each process does so.
	 */
	private static final int SHARE = 100;

	private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

	private final UpkeepStore store;

	private final InsightStore insight;

	private final Duration retention;

	private final Duration oldSnapshot;

	private final Duration pause;

	private final AtomicLong deferred = new AtomicLong();

	private boolean deferring;

	private boolean sweeping;

	private long page;

	private final LongSupplier nanoTime;

	private long nextRun;

	/**
	 * Create a pruner.
	 * @param store where the history is
	 * @param insight knows the age of the oldest snapshot
	 * @param retention how long the history is kept
	 * @param oldSnapshot from which age on a snapshot is old
	 */
	public HistoryPruner(UpkeepStore store, InsightStore insight, Duration retention, Duration oldSnapshot) {
		this(store, insight, retention, oldSnapshot, System::nanoTime);
	}

	HistoryPruner(UpkeepStore store, InsightStore insight, Duration retention, Duration oldSnapshot,
			LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.pause = pause(retention);
		this.nextRun = nanoTime.getAsLong() + this.pause.toNanos();
		this.store = store;
		this.insight = insight;
		this.retention = retention;
		this.oldSnapshot = oldSnapshot;
	}

	/**
	 * How many times pruning was put off because of an old snapshot, or failed.
	 * @return the number since this process started
	 */
	public long deferred() {
		return this.deferred.get();
	}

	/**
	 * Take a turn if it is time to: once a minute, less often where turns take long, and
	 * at once where one has left something. To be called every second, by one thread at a
	 * time.
	 * @return how many rows were deleted
	 */
	public int runIfDue() {
		return runIfDue(this.nanoTime.getAsLong());
	}

	/**
	 * Goes on at once where something was left: there is no rate of jobs at which the
	 * history would grow for ever.
	 */
	int runIfDue(long now) {
		if (now - this.nextRun < 0) {
			return 0;
		}
		this.nextRun = now + this.pause.toNanos();
		long begun = this.nanoTime.getAsLong();
		Turn turn = takeTurn();
		this.nextRun = (turn.finished() || turn.deleted() == 0) ? now + pauseAfter(this.nanoTime.getAsLong() - begun)
				: now;
		return turn.deleted();
	}

	private static Duration pause(Duration retention) {
		if (retention.isZero() || retention.compareTo(PAUSE) > 0) {
			return PAUSE;
		}
		return (retention.compareTo(SHORTEST_PAUSE) < 0) ? SHORTEST_PAUSE : retention;
	}

	private long pauseAfter(long turn) {
		return Math.min(Math.max(this.pause.toNanos(), SHARE * turn), LONGEST_PAUSE.toNanos());
	}

	/**
	 * Delete what is too old, unless an old snapshot is held. Called by one thread at a
	 * time.
	 * @return how many rows
	 */
	public int runOnce() {
		return takeTurn().deleted();
	}

	private Turn takeTurn() {
		try {
			return isDeferred() ? Turn.NOTHING : prune();
		}
		catch (RuntimeException ex) {
			this.deferred.incrementAndGet();
			throw ex;
		}
	}

	private boolean isDeferred() {
		long age = (long) this.insight.table().oldestSnapshot();
		boolean old = age >= this.oldSnapshot.toSeconds();
		if (old) {
			this.deferred.incrementAndGet();
		}
		if (old && !this.deferring) {
			logger.info("The history is not pruned for now: a transaction holds a snapshot that is {} s old, so vacuum "
					+ "could not remove the rows. Look for it in pg_stat_activity and pg_prepared_xacts, and end it.",
					age);
		}
		else if (!old && this.deferring) {
			logger.info("The history is pruned again: the old snapshot is gone");
		}
		this.deferring = old;
		return old;
	}

	/**
	 * Looks by the index first, and once: each look begins at the first page again and
	 * walks over all that the looks before it have emptied, so that to prune a backlog by
	 * looks takes time with the square of its size.
	 */
	private Turn prune() {
		if (this.sweeping) {
			return sweep(CHUNKS);
		}
		int deleted;
		try {
			deleted = this.store.pruneHistory(this.retention, CHUNK);
		}
		catch (StoreException ex) {
			if (!ex.isTimeout()) {
				throw ex;
			}
			logger.info("The history is too large to be searched at once: it is pruned part by part");
			this.sweeping = true;
			return sweep(CHUNKS);
		}
		if (deleted < CHUNK) {
			return new Turn(deleted, true);
		}
		this.sweeping = true;
		Turn swept = sweep(CHUNKS - 1);
		return new Turn(deleted + swept.deleted(), swept.finished());
	}

	/**
	 * Go on where the last turn ended. A history that is not looked through in one turn
	 * is kept a little longer. When all parts are done the whole is tried again: what
	 * took too long then was the disk, perhaps.
	 */
	private Turn sweep(int parts) {
		int total = 0;
		for (int part = 0; part < parts && this.sweeping; part++) {
			UpkeepStore.Swept swept = this.store.sweepHistory(this.retention, CHUNK, this.page);
			total += swept.rows();
			this.page = swept.next();
			this.sweeping = this.page != 0 || swept.rows() == CHUNK;
		}
		return new Turn(total, !this.sweeping);
	}

	/**
	 * What came of one turn.
	 *
	 * @param deleted how many rows were deleted
	 * @param finished whether it has seen all
	 */
	private record Turn(int deleted, boolean finished) {

		static final Turn NOTHING = new Turn(0, true);

	}

}
