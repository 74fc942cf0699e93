package io.gator.store;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What is the same for all jobs of one dispatch. At most one of {@code delay} and
 * {@code at} is set; neither means now.
 *
 * @param queue the queue
 * @param name the name of the job
 * @param delay the time to wait, by the database's clock
 * @param at the time at which the job is due
 * @param untilStarted whether a claim frees the unique key
 * @param metadata a JSON object, or {@code null}
 */
public record NewJob(String queue, String name, @Nullable Duration delay, @Nullable Instant at, boolean untilStarted,
		@Nullable String metadata) {

}
