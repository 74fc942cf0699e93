package io.gator.worker;

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

}
