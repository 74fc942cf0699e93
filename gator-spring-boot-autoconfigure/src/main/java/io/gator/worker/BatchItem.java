package io.gator.worker;

import io.gator.store.ClaimedJob;
import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * One item of a batch, as its listeners see it, and what becomes of it.
 */
final class BatchItem extends ClaimedContext {

	@Nullable Object value;

	boolean isRead;

	/**
	 * How it goes back once its attempt counts. Read by the thread that stops the pool as
	 * well.
	 */
	volatile Settlement.@Nullable Requeued wayBack;

	/** Whether a settlement was made out for it. Read by that thread, too. */
	volatile boolean isDecided;

	@Nullable Throwable error;

	BatchItem(Execution execution, ClaimedJob job) {
		super(execution, job);
	}

	Settlement.Requeued back() {
		Settlement.Requeued back = this.wayBack;
		return (back != null) ? back : Settlement.Requeued.released(this.job);
	}

}
