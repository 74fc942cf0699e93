package io.gator.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * What has to be done now and then by one process for all. Thread-safe; throws
 * {@link StoreException}.
 */
public interface UpkeepStore {

	/**
	 * Delete some of the history that is too old. Does nothing while another process is
	 * at it.
	 * @param retention how long the history is kept
	 * @param limit the most rows
	 * @return how many rows were deleted
	 */
	int pruneHistory(Duration retention, int limit);

	/**
	 * Delete the same in one part of the history, for a history that is too large to be
	 * searched at once, or of which so much is too old that each search would walk over
	 * all that those before it have emptied.
	 * @param retention how long the history is kept
	 * @param limit the most rows
	 * @param page where to look: 0 to begin, or where the call before said to go on
	 * @return how many rows were deleted, and where to go on
	 */
	Swept sweepHistory(Duration retention, int limit, long page);

	/**
	 * What became of a part of the history.
	 *
	 * @param rows how many rows were deleted
	 * @param next the page to go on with; 0 if that was the last part
	 */
	record Swept(int rows, long next) {

	}

	/**
	 * The recurring jobs of some names, and the time.
	 * @param names the names
	 * @return those that are known, and the database's time
	 */
	Schedule schedule(Collection<String> names);

	/**
	 * Write down when a recurring job ticks next, unless another process has just done
	 * so.
	 * @param plan when it does
	 */
	void plan(Plan plan);

	/**
	 * Make a tick: dispatch the job and move on, both or neither, and only if nobody else
	 * has done so.
	 * @param tick the tick
	 * @return what came of it; empty if somebody else has made this tick, or is in the
	 * way of it for now
	 */
	Optional<Ticked> tick(Tick tick);

	/**
	 * When a recurring job ticks next.
	 *
	 * @param name the name of the job
	 * @param schedule its schedule
	 * @param next the next tick
	 * @param latest the latest time that the next tick can have; a later one in the row
	 * was written down before the database's clock was put back, and is replaced
	 * @param until until when that is so by the database's clock: if it is written later,
	 * because this process stood still, another one may have made a tick meanwhile, which
	 * would be made again
	 */
	record Plan(String name, String schedule, Instant next, Instant latest, Instant until) {

	}

	/**
	 * The recurring jobs, and the time.
	 *
	 * @param now the database's time
	 * @param jobs the jobs
	 */
	record Schedule(Instant now, List<Planned> jobs) {

	}

	/**
	 * When a recurring job ticks.
	 *
	 * @param name the name of the job
	 * @param schedule its schedule
	 * @param next the next tick
	 */
	record Planned(String name, String schedule, Instant next) {

	}

	/**
	 * A tick to be made.
	 *
	 * @param name the name of the job
	 * @param queue its queue
	 * @param due the time of this tick
	 * @param next the time of the next one
	 * @param dispatch whether to dispatch the job, or only to move on
	 * @param overlap whether to dispatch it while the job of the last tick lives
	 * @param uniqueKey its unique key, or {@code null}; nothing is dispatched while a
	 * live job has it
	 * @param untilStarted whether it has the key only until it is claimed
	 */
	record Tick(String name, String queue, Instant due, Instant next, boolean dispatch, boolean overlap,
			@Nullable String uniqueKey, boolean untilStarted) {

	}

	/**
	 * A tick that was made.
	 *
	 * @param job the id of the job, or {@code null} if none was dispatched
	 */
	record Ticked(@Nullable Long job) {

	}

}
