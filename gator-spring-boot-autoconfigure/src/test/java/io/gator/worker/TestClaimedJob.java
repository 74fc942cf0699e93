package io.gator.worker;

import io.gator.store.ClaimedJob;
import org.jspecify.annotations.Nullable;

/**
 * A job as a claim brings it, of which a test names what matters to it: without more, one
 * that was dispatched for now and is in its first attempt.
 */
final class TestClaimedJob {

	private final long id;

	private final String name;

	private String queue = "default";

	private String args = "[]";

	private int attempts = 1;

	private double dueAt = Double.NaN;

	private boolean cancelRequested;

	private @Nullable String metadata;

	private TestClaimedJob(long id, String name) {
		this.id = id;
		this.name = name;
	}

	static TestClaimedJob of(long id, String name) {
		return new TestClaimedJob(id, name);
	}

	TestClaimedJob queue(String queue) {
		this.queue = queue;
		return this;
	}

	TestClaimedJob args(String args) {
		this.args = args;
		return this;
	}

	TestClaimedJob attempts(int attempts) {
		this.attempts = attempts;
		return this;
	}

	TestClaimedJob dueAt(double dueAt) {
		this.dueAt = dueAt;
		return this;
	}

	TestClaimedJob cancelRequested() {
		this.cancelRequested = true;
		return this;
	}

	TestClaimedJob metadata(@Nullable String metadata) {
		this.metadata = metadata;
		return this;
	}

	ClaimedJob get() {
		return new ClaimedJob(this.id, this.queue, this.name, this.args, this.attempts, 1, 0, this.dueAt, 0,
				this.cancelRequested, this.attempts > 1, this.metadata);
	}

}
