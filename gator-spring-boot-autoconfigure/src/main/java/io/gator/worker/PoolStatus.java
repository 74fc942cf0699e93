package io.gator.worker;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How a pool of this process is at the moment of asking.
 *
 * @param pool its name
 * @param running whether it was started
 * @param draining whether it is stopping
 * @param busy how many slots run something
 * @param slots how many slots it has
 * @param stuck how many handlers ignore that they were interrupted
 * @param buffered how many jobs are claimed and not started
 * @param unsettled how many outcomes are not in the database yet
 * @param silence how long ago it was last heard by the database, or {@code null} if it
 * has not been since its start
 * @param lease how long it may be silent
 * @param trouble what keeps it from beating, claiming or settling, or {@code null}
 */
public record PoolStatus(String pool, boolean running, boolean draining, int busy, int slots, int stuck, int buffered,
		int unsettled, @Nullable Duration silence, Duration lease, @Nullable Trouble trouble) {

	/**
	 * Beats, claims or settlements that fail or hang.
	 *
	 * @param duration for how long nothing has worked
	 * @param passing whether it may go away by itself; {@code false} for what somebody
	 * has to set right in the database, such as a privilege or a table that is missing
	 */
	public record Trouble(Duration duration, boolean passing) {

		/**
		 * The one that is more urgent.
		 * @param one a trouble
		 * @param other another one
		 * @return what will not pass, else what has lasted longer
		 */
		static @Nullable Trouble worse(@Nullable Trouble one, @Nullable Trouble other) {
			if (one == null || other == null) {
				return (one != null) ? one : other;
			}
			if (one.passing != other.passing) {
				return one.passing ? other : one;
			}
			return (one.duration.compareTo(other.duration) >= 0) ? one : other;
		}

	}

}
