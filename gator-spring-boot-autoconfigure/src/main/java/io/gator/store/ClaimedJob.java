package io.gator.store;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A job that a pool has claimed. Times are seconds since the epoch on the database's
 * clock, with fractions. They are numbers, because objects would cost too much for a
 * hundred thousand jobs a second.
 *
 * @param id the id
 * @param queue the queue
 * @param name the name of the job
 * @param args the arguments, a JSON array
 * @param attempts the attempts charged, this one included
 * @param lease the token that fences all that is written about this attempt
 * @param createdAt when it was dispatched
 * @param dueAt when it was due; {@code NaN} for a job that was never given a time
 * @param claimedAt when it was claimed
 * @param cancelRequested whether it is to be cancelled instead of run
 * @param failedBefore whether an error is recorded with it
 * @param metadata a JSON object, or {@code null}
 */
public record ClaimedJob(long id, String queue, String name, String args, int attempts, long lease, double createdAt,
		double dueAt, double claimedAt, boolean cancelRequested, boolean failedBefore, @Nullable String metadata) {

	/**
	 * Whether the job had a time at which it was due.
	 * @return {@code false} for jobs dispatched for now
	 */
	public boolean isDelayed() {
		return !Double.isNaN(this.dueAt);
	}

	/**
	 * How long the job waited for its claim, from when it was due.
	 * @return seconds, not negative
	 */
	public double waited() {
		return Math.max(0, this.claimedAt - (isDelayed() ? Math.max(this.dueAt, this.createdAt) : this.createdAt));
	}

	/**
	 * When the job was dispatched.
	 * @return the time, to the microsecond
	 */
	public Instant dispatchedAt() {
		long micros = Math.round(this.createdAt * 1_000_000);
		return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000), Math.floorMod(micros, 1_000_000) * 1000L);
	}

}
