package io.gator.worker;

import java.util.List;

import io.gator.JobContext;
import io.gator.JobInterceptor;
import org.jspecify.annotations.Nullable;

/**
 * Surrounds every attempt, outside all interceptors, for traces.
 */
@FunctionalInterface
public interface AttemptObserver {

	/**
	 * Surround an attempt.
	 * @param job the attempt
	 * @param metadata the metadata of the job's row, a JSON object, or {@code null}
	 * @param handler the rest of the way
	 * @return what the handler returned
	 * @throws Exception what the handler threw
	 */
	@Nullable Object observe(JobContext job, @Nullable String metadata, JobInterceptor.Invocation handler) throws Exception;

	/**
	 * Let several surround an attempt, the first one outermost.
	 * @param all the observers
	 * @return one for all, or {@code null} if there is none
	 */
	static @Nullable AttemptObserver of(List<AttemptObserver> all) {
		AttemptObserver observer = null;
		for (int i = all.size() - 1; i >= 0; i--) {
			AttemptObserver outer = all.get(i);
			AttemptObserver inner = observer;
			observer = (inner == null) ? outer : (job, metadata, handler) -> outer.observe(job, metadata,
					() -> inner.observe(job, metadata, handler));
		}
		return observer;
	}

}
