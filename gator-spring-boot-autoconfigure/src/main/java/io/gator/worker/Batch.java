package io.gator.worker;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import io.gator.routing.Route;
import io.gator.store.ClaimedJob;

/**
 * One attempt of several items of a buffered job, handled by one call. Each item keeps
 * its own attempts, error and end.
 */
final class Batch extends Execution {

	private final AttemptServices services;

	private final Route route;

	private final List<BatchItem> items;

	private final Counter counter;

	Batch(AttemptServices services, List<ClaimedJob> jobs, Route route, long worker, long claimedAtNanos,
			Counter counter) {
		super(worker, claimedAtNanos, jobs.size());
		this.services = services;
		this.route = route;
		this.counter = counter;
		this.items = jobs.stream()
			.sorted(Comparator.comparingLong(ClaimedJob::id))
			.map((job) -> new BatchItem(this, job))
			.toList();
	}

	@Override
	Collection<Long> ids() {
		return this.items.stream().map(BatchItem::id).toList();
	}

	List<BatchItem> items() {
		return this.items;
	}

	@Override
	String describe() {
		BatchItem first = this.items.get(0);
		return "a batch of " + this.items.size() + " jobs from " + first.id() + " on (" + this.route.name()
				+ " on queue " + first.queue() + ")";
	}

	@Override
	void run(Settlements settlements) {
		if (mustGoBack(stopReason())) {
			release(settlements);
			return;
		}
		try {
			new BatchRun(this.services, this.route, this, settlements).run();
		}
		finally {
			tellEnd();
		}
	}

	@Override
	void release(Settlements settlements) {
		this.items.forEach((item) -> item.release(settlements));
		tellEnd();
	}

	/**
	 * Count it among those that run from now on.
	 */
	void tellBegin() {
		this.counter.begins();
	}

	/**
	 * Count it no more. May be called more than once, because a batch that ended with an
	 * unforeseen error is released as well.
	 */
	void tellEnd() {
		this.counter.ends();
	}

	@Override
	void slotReplaced() {
		this.counter.leavesSlot();
	}

	/**
	 * Counts a batch. May be told the same more than once.
	 */
	interface Counter {

		/** It is to run. */
		void begins();

		/** It goes on, but another slot has taken the place of its slot. */
		void leavesSlot();

		/** It runs no more. */
		void ends();

	}

}
