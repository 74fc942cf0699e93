package io.gator.worker;

import io.gator.store.Settlement;

/**
 * Takes what became of executions.
 */
interface Outcome {

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
	 * Note that a job is settled already.
	 * @param execution the execution that it belongs to
	 */
	void settled(Execution execution);

}
