package io.gator.worker;

import java.time.Instant;

import io.gator.JobContext;
import io.gator.store.ClaimedJob;

/**
 * What handlers and hooks may know of a claimed job.
 */
class ClaimedContext implements JobContext {

	final ClaimedJob job;

	private final Execution execution;

	ClaimedContext(Execution execution, ClaimedJob job) {
		this.execution = execution;
		this.job = job;
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
		return this.job.attempts();
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
		return this.execution.stopped() != null;
	}

	@Override
	public String toString() {
		return "job " + this.job.id() + " (" + this.job.name() + " on queue " + this.job.queue() + ", attempt "
				+ this.job.attempts() + ")";
	}

}
