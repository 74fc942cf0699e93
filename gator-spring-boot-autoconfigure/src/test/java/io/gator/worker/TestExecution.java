package io.gator.worker;

import java.util.Collection;
import java.util.List;

import io.gator.store.Settlement;

/**
 * An execution of one job that does nothing.
 */
class TestExecution extends Execution {

	private final long id;

	TestExecution(long id) {
		this(id, System.nanoTime());
	}

	TestExecution(long id, long claimedAtNanos) {
		this(id, claimedAtNanos, 1);
	}

	TestExecution(long id, long claimedAtNanos, int size) {
		super(1, claimedAtNanos, size);
		this.id = id;
	}

	long id() {
		return this.id;
	}

	@Override
	Collection<Long> ids() {
		return List.of(this.id);
	}

	@Override
	String describe() {
		return "job " + this.id;
	}

	@Override
	void run(Settlements settlements) {
		settlements.settle(this, new Settlement.Succeeded(this.id, 1, null, null), Settlements.NOTHING);
	}

	@Override
	void release(Settlements settlements) {
		settlements.settle(this, new Settlement.Requeued(this.id, 1, null, null, null, false, 0), Settlements.NOTHING);
	}

}
