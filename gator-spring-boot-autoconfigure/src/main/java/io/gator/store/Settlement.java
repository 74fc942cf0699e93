package io.gator.store;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * How an attempt ended. Written only if the row still has the lease of the attempt.
 */
public sealed interface Settlement {

	/**
	 * The id of the job.
	 * @return the id
	 */
	long id();

	/**
	 * The lease under which it was claimed.
	 * @return the lease
	 */
	long lease();

	/**
	 * The job that is dispatched by the same statement.
	 * @return the next link of a chain, or {@code null}
	 */
	default @Nullable NextJob next() {
		return null;
	}

	/**
	 * Whether there is a job afterwards of which no pool knows yet: a retry or a snooze
	 * that will be due, or the next link of a chain.
	 * @return whether pools are to look for such a job
	 */
	default boolean bringsWork() {
		return next() != null;
	}

	/**
	 * The queue of that job, if it may be another one than that of the job that has
	 * ended.
	 * @return the queue, or {@code null}
	 */
	default @Nullable String otherQueue() {
		NextJob next = next();
		return (next != null) ? next.queue() : null;
	}

	/**
	 * Whether the job is over when this is written.
	 * @return whether it is not among the jobs any more
	 */
	default boolean endsJob() {
		return true;
	}

	/**
	 * Whether the job is merely released: it goes back to its place, for the first pool
	 * that has a slot for it.
	 * @return whether it is
	 */
	default boolean isRelease() {
		return false;
	}

	/**
	 * The same outcome without the texts that the database may have refused to store.
	 * @param instead the error to record in place of one that is left out
	 * @return the outcome without its texts
	 */
	Settlement withoutTexts(String instead);

	/**
	 * The job is done and goes to the history.
	 *
	 * @param id the id of the job
	 * @param lease the lease
	 * @param result what the handler returned, as JSON, or {@code null}
	 * @param next the job that follows, or {@code null}
	 */
	record Succeeded(long id, long lease, @Nullable String result, @Nullable NextJob next) implements Settlement {

		@Override
		public Succeeded withoutTexts(String instead) {
			return new Succeeded(this.id, this.lease, null, this.next);
		}

	}

	/**
	 * The job goes back to its queue: to be retried, snoozed, or merely released.
	 *
	 * @param id the id of the job
	 * @param lease the lease
	 * @param delay the time until it is due; {@code null} to keep its place
	 * @param queue another queue, or {@code null}
	 * @param error the error to record, or {@code null}
	 * @param charged whether the attempt counts
	 * @param batchLimit the most items of its next batch; 0 for no change
	 */
	record Requeued(long id, long lease, @Nullable Duration delay, @Nullable String queue, @Nullable String error,
			boolean charged, int batchLimit) implements Settlement {

		@Override
		public boolean endsJob() {
			return false;
		}

		@Override
		public boolean bringsWork() {
			return this.delay != null;
		}

		@Override
		public @Nullable String otherQueue() {
			return this.queue;
		}

		@Override
		public boolean isRelease() {
			return this.delay == null;
		}

		@Override
		public Requeued withoutTexts(String instead) {
			return new Requeued(this.id, this.lease, this.delay, this.queue, (this.error != null) ? instead : null,
					this.charged, this.batchLimit);
		}

		/**
		 * A job whose attempt counts, and which is to be claimed again at once: the claim
		 * decides whether it has another attempt.
		 * @param job the job
		 * @param error the error to record, or {@code null}
		 * @return its way back, charged
		 */
		public static Requeued charged(ClaimedJob job, @Nullable String error) {
			return charged(job.id(), job.lease(), error);
		}

		/**
		 * A job whose attempt counts, and which is to be claimed again at once.
		 * @param id the id of the job
		 * @param lease the lease of the attempt
		 * @param error the error to record, or {@code null}
		 * @return its way back, charged
		 */
		public static Requeued charged(long id, long lease, @Nullable String error) {
			return new Requeued(id, lease, Duration.ZERO, null, error, true, 0);
		}

		/**
		 * A job that asked to be called again later.
		 * @param job the job
		 * @param delay the time until then
		 * @return its way back, uncharged
		 */
		public static Requeued snoozed(ClaimedJob job, Duration delay) {
			return new Requeued(job.id(), job.lease(), delay, null, null, false, 0);
		}

		/**
		 * A job that was claimed and not started, or interrupted by the end of its pool.
		 * @param job the job
		 * @return its release, uncharged
		 */
		public static Requeued released(ClaimedJob job) {
			return new Requeued(job.id(), job.lease(), null, null, null, false, 0);
		}

	}

	/**
	 * The job is dead and goes to the dead letters.
	 *
	 * @param id the id of the job
	 * @param lease the lease
	 * @param error the error to record; {@code null} to keep the recorded one
	 * @param charged whether the attempt counts
	 * @param next the job that compensates for it, or {@code null}
	 */
	record Died(long id, long lease, @Nullable String error, boolean charged,
			@Nullable NextJob next) implements Settlement {

		@Override
		public Died withoutTexts(String instead) {
			return new Died(this.id, this.lease, (this.error != null) ? instead : null, this.charged, this.next);
		}

	}

	/**
	 * The job is over on request and goes to the history.
	 *
	 * @param id the id of the job
	 * @param lease the lease
	 * @param reason why, or {@code null}
	 */
	record Cancelled(long id, long lease, @Nullable String reason) implements Settlement {

		@Override
		public Cancelled withoutTexts(String instead) {
			return new Cancelled(this.id, this.lease, null);
		}

	}

	/**
	 * A job that is dispatched by the statement that ends its predecessor.
	 *
	 * @param queue the queue
	 * @param name the name of the job
	 * @param args the arguments, a JSON array
	 * @param batchKey the key of the batches of a buffered job, or {@code null}
	 * @param metadata a JSON object, or {@code null}
	 */
	record NextJob(String queue, String name, String args, @Nullable String batchKey, @Nullable String metadata) {

	}

}
