package io.gator.worker;

import io.gator.store.ClaimedJob;

import org.jspecify.annotations.Nullable;

/**
 * One item of a batch, as its listeners see it, and what becomes of it.
 */
final class BatchItem extends ClaimedContext {

	@Nullable Object value;

	boolean isRead;

	/**
	 * Whether a settlement was made out for it. Read by the thread that stops the pool as
	 * well.
	 */
	volatile boolean isDecided;

	@Nullable Throwable error;

	BatchItem(Execution execution, ClaimedJob job) {
		super(execution, job);
	}

}
