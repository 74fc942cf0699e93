package io.gator.dispatch;

import java.util.List;

/**
 * Is told of new jobs when their transaction has committed, once for each transaction. A
 * hint, not a promise: it is not called if the process ends before. Called on the thread
 * of the dispatch, so it must not block; what it throws is logged.
 */
@FunctionalInterface
public interface DispatchHook {

	/**
	 * There are new jobs.
	 * @param dispatched the jobs, not empty
	 */
	void dispatched(List<Dispatched> dispatched);

}
