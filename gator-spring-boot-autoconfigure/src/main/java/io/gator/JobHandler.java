package io.gator;

import org.jspecify.annotations.Nullable;

/**
 * A typed alternative to a method named {@code handle}, for a bean annotated with
 * {@link Job}. Called by several threads at once.
 *
 * @param <P> the payload, any type that Jackson can read
 */
@FunctionalInterface
public interface JobHandler<P extends @Nullable Object> {

	/**
	 * Does the work of one attempt.
	 * @param payload the argument that the job was dispatched with
	 * @throws Exception if the attempt failed; {@link RetryWith} decides what follows
	 */
	void handle(P payload) throws Exception;

}
