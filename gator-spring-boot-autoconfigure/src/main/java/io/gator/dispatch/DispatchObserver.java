package io.gator.dispatch;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * Watches dispatches and lets something travel with the jobs, such as the context of a
 * trace. One dispatch, of a single job or of a bulk, is watched once.
 */
@FunctionalInterface
public interface DispatchObserver {

	/**
	 * A dispatch begins.
	 * @param name the name of the job
	 * @param queue the queue
	 * @param count the number of jobs
	 * @return what watches it to its end, on the same thread
	 */
	Observed begin(String name, String queue, int count);

	/**
	 * Combine observers, the first one outermost.
	 * @param all the observers
	 * @return one observer for all of them, or {@code null} if there are none
	 */
	static @Nullable DispatchObserver of(List<DispatchObserver> all) {
		if (all.size() < 2) {
			return all.isEmpty() ? null : all.get(0);
		}
		return (name, queue,
				count) -> new CompositeObserved(all.stream().map((each) -> each.begin(name, queue, count)).toList());
	}

	/**
	 * A dispatch that is being watched.
	 */
	interface Observed {

		/**
		 * What travels with the jobs.
		 * @return headers by name; may be empty
		 */
		Map<String, String> headers();

		/**
		 * The dispatch has ended, though its transaction may not have.
		 * @param error what it failed with, or {@code null}
		 */
		void end(@Nullable Throwable error);

	}

}
