package io.gator.worker;

import io.gator.store.Settlement;

/**
 * Takes what became of executions.
 */
interface Settlements {

	/** Nothing is to be done when a settlement has landed. */
	Runnable NOTHING = () -> {
	};

	/**
	 * Take a settlement, to be written soon.
	 * @param execution the execution that it belongs to
	 * @param settlement what to write
	 * @param landed what to do when it is in the database, or {@link #NOTHING}
	 */
	void settle(Execution execution, Settlement settlement, Runnable landed);

	/**
	 * Take a settlement of a job that may be settled already.
	 * @param execution the execution that it belongs to
	 * @param settlement what to write if it is not
	 * @param done what to do if it is
	 */
	void settleUnlessDone(Execution execution, Settlement settlement, Runnable done);

	/**
	 * Note that a job is settled already, in a transaction of its own.
	 * @param execution the execution that it belongs to
	 * @param settlement what was written
	 */
	void settled(Execution execution, Settlement settlement);

	/**
	 * Note that a job is not the pool's any more, so that there is nothing to settle.
	 * @param execution the execution that it belongs to
	 */
	void lost(Execution execution);

}
