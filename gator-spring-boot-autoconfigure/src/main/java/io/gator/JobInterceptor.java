package io.gator;

import org.jspecify.annotations.Nullable;

/**
 * Wraps the call of a handler. All beans of this type are applied, the first in order
 * ({@code @Order}) outermost. An interceptor that throws fails the attempt. Called by
 * several threads at once.
 */
@FunctionalInterface
public interface JobInterceptor {

	/**
	 * Do something around the handler. If this method does not proceed, the handler is
	 * not called and the job succeeds with what this method returns.
	 * @param job the attempt; for a batch, that of its first item
	 * @param handler the interceptors that follow and the handler, to be called at most
	 * once
	 * @return what the handler returned, or something else instead
	 * @throws Exception if the attempt failed
	 */
	@Nullable Object intercept(JobContext job, Invocation handler) throws Exception;

	/**
	 * The interceptors that follow and the handler.
	 */
	@FunctionalInterface
	interface Invocation {

		/**
		 * Call them.
		 * @return what the handler returned, {@code null} for {@code void}
		 * @throws Exception if the attempt failed
		 */
		@Nullable Object proceed() throws Exception;

	}

}
