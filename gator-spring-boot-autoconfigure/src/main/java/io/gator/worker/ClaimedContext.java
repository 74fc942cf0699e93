package io.gator.worker;

import java.time.Instant;

import io.gator.JobContext;
import io.gator.store.ClaimedJob;
import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * What handlers and hooks may know of a claimed job.
 */
class ClaimedContext implements JobContext {

	/**
	 * The error of a job whose handler had used up its time and had not ended when its
	 * pool did.
	 */
	private static final String TIMED_OUT = "The handler did not end within its timeout, nor before its pool stopped";

	final ClaimedJob job;

	private final Execution execution;

	/**
	 * How the job goes back once its attempt counts. Read by the thread that stops the
	 * pool as well.
	 */
	private volatile Settlement.@Nullable Requeued wayBack;

	/**
	 * Whether it is decided what becomes of the job, so that it does not go back any
	 * more. Read by the thread that stops the pool as well.
	 */
	private volatile boolean isDecided;

	/** Whether the claim has charged an attempt that does not take place. */
	private volatile boolean spent;

	ClaimedContext(Execution execution, ClaimedJob job) {
		this.execution = execution;
		this.job = job;
	}

	/**
	 * Note that there is no attempt left for this claim: hooks and logs are told the
	 * number of the last one.
	 */
	final void markSpent() {
		this.spent = true;
	}

	/**
	 * Note that the job is dead once {@code @OnDead} has been called. If that call is
	 * broken off, the attempt counts all the same, if there was one.
	 * @param reason why it is dead, as it is kept
	 */
	final void chargeIfBrokenOff(String reason) {
		if (!this.spent) {
			this.wayBack = Settlement.Requeued.charged(this.job, reason);
		}
	}

	/**
	 * The end of a dead job. Where no attempt was left, the error of the last one that
	 * failed is kept.
	 * @param reason why it is dead, as it is kept
	 * @param onDeadError what the call of {@code @OnDead} adds, or {@code null}
	 * @param next the job that compensates for it, or {@code null}
	 * @return its settlement
	 */
	final Settlement.Died died(String reason, @Nullable String onDeadError, Settlement.@Nullable NextJob next) {
		boolean tells = onDeadError != null || !this.spent || !this.job.failedBefore();
		String error = (onDeadError != null) ? reason + onDeadError : reason;
		return new Settlement.Died(id(), lease(), tells ? error : null, !this.spent, next);
	}

	/**
	 * Settle the job.
	 * @param settlements takes the settlement
	 * @param settlement what becomes of it
	 * @param landed what to do when that is in the database
	 */
	final void settle(Settlements settlements, Settlement settlement, Runnable landed) {
		settlements.settle(this.execution, settlement, landed);
		// Only now: a job whose settlement found no memory must still be able to go back.
		this.isDecided = true;
	}

	/**
	 * Note that it is decided in another way what becomes of the job.
	 */
	final void decided() {
		this.isDecided = true;
	}

	/**
	 * Give the job back, unless it is decided already what becomes of it.
	 * @param settlements takes the settlement
	 */
	final void release(Settlements settlements) {
		if (!this.isDecided) {
			settle(settlements, back(), Settlements.NOTHING);
		}
	}

	/**
	 * How the job goes back if nothing else becomes of it now.
	 * @return its way back, uncharged unless its attempt counts
	 */
	final Settlement.Requeued back() {
		Settlement.Requeued back = this.wayBack;
		if (back != null) {
			return back;
		}
		return this.execution.hasTimedOut() ? Settlement.Requeued.charged(this.job, TIMED_OUT)
				: Settlement.Requeued.released(this.job);
	}

	@Override
	public long id() {
		return this.job.id();
	}

	@Override
	public String name() {
		return this.job.name();
	}

	@Override
	public String queue() {
		return this.job.queue();
	}

	@Override
	public int attempt() {
		return this.spent ? this.job.attempts() - 1 : this.job.attempts();
	}

	@Override
	public Instant dispatchedAt() {
		return this.job.dispatchedAt();
	}

	@Override
	public long lease() {
		return this.job.lease();
	}

	@Override
	public boolean isCancelled() {
		return this.execution.stopReason() != null;
	}

	@Override
	public String toString() {
		return "job " + this.job.id() + " (" + this.job.name() + " on queue " + this.job.queue() + ", attempt "
				+ attempt() + ")";
	}

}
