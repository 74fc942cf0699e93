package io.gator.store;

import java.time.Instant;

import io.gator.JobState;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is stored, in whichever table that is.
 *
 * @param id the id
 * @param queue the queue
 * @param name the name of the job
 * @param state the state
 * @param attempts the attempts charged
 * @param createdAt when it was dispatched
 * @param dueAt when it is due
 * @param claimedAt when its running attempt was claimed
 * @param worker the pool that runs it
 * @param lastExecutedAt when its last finished attempt began
 * @param finishedAt when it was over
 * @param error the error of its last failed attempt
 * @param uniqueKey its unique key
 * @param args its arguments, a JSON array
 * @param result what its handler returned, as JSON
 * @param metadata a JSON object
 */
public record StoredJob(long id, String queue, String name, JobState state, int attempts, Instant createdAt,
		@Nullable Instant dueAt, @Nullable Instant claimedAt, @Nullable Long worker, @Nullable Instant lastExecutedAt,
		@Nullable Instant finishedAt, @Nullable String error, @Nullable String uniqueKey, @Nullable String args,
		@Nullable String result, @Nullable String metadata) {

}
