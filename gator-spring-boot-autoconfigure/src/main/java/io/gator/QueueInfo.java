package io.gator;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * A queue at the moment of asking.
 *
 * @param name the name
 * @param paused whether nothing is claimed from it
 * @param waiting jobs that wait for a slot
 * @param scheduled jobs whose time has not come
 * @param running jobs that a pool holds
 * @param failed jobs that wait for their retry
 * @param dead dead letters
 * @param oldest how long the oldest job that is due has waited; {@code null} if none is
 */
public record QueueInfo(String name, boolean paused, long waiting, long scheduled, long running, long failed, long dead,
		@Nullable Duration oldest) {

	/**
	 * How long the oldest job that is due has waited.
	 * @return the age; empty if none is due
	 */
	public Optional<Duration> oldestAge() {
		return Optional.ofNullable(this.oldest);
	}

}
