package io.gator.admin;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.gator.JobInfo;
import io.gator.JobState;
import io.gator.routing.ArgsCodec;
import io.gator.store.JobMetadata;
import io.gator.store.StoredJob;

/**
 * What is stored about a job. Its text never shows arguments or results.
 */
final class StoredJobInfo implements JobInfo {

	private final StoredJob job;

	private final ArgsCodec codec;

	StoredJobInfo(StoredJob job, ArgsCodec codec) {
		this.job = job;
		this.codec = codec;
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
	public JobState state() {
		return this.job.state();
	}

	@Override
	public int attempts() {
		return this.job.attempts();
	}

	@Override
	public Instant dispatchedAt() {
		return this.job.createdAt();
	}

	@Override
	public Optional<Instant> dueAt() {
		return Optional.ofNullable(this.job.dueAt());
	}

	@Override
	public Optional<Instant> claimedAt() {
		return Optional.ofNullable(this.job.claimedAt());
	}

	@Override
	public Optional<Long> workerId() {
		return Optional.ofNullable(this.job.worker());
	}

	@Override
	public Optional<Instant> lastExecutedAt() {
		return Optional.ofNullable(this.job.lastExecutedAt());
	}

	@Override
	public Optional<Instant> finishedAt() {
		return Optional.ofNullable(this.job.finishedAt());
	}

	@Override
	public Optional<String> error() {
		return Optional.ofNullable(this.job.error());
	}

	@Override
	public Optional<String> uniqueKey() {
		return Optional.ofNullable(this.job.uniqueKey());
	}

	@Override
	public Optional<String> args() {
		return Optional.ofNullable(this.job.args());
	}

	@Override
	public List<String> chain() {
		return new JobMetadata(this.job.metadata()).chain().stream().map(JobMetadata.Link::name).toList();
	}

	@Override
	public <T> Optional<T> result(Class<T> type) {
		String json = this.job.result();
		return (json != null) ? Optional.ofNullable(this.codec.decodeResult(json, type)) : Optional.empty();
	}

	@Override
	public String toString() {
		return "job " + id() + " (" + name() + " on queue " + queue() + ", " + state() + ")";
	}

}
