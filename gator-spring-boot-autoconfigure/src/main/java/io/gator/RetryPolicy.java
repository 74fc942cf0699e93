package io.gator;

/**
 * Decides what follows a failed attempt. Called by several threads at once, so it must be
 * thread-safe. A policy that throws, or returns {@code null}, stops the retries; its
 * error is kept with the dead job, beside that of the handler.
 *
 * @see RetryWith#policy()
 */
@FunctionalInterface
public interface RetryPolicy {

	/**
	 * Decide what follows.
	 * @param error what the handler threw
	 * @param retryCount the number of retries already made: 0 after the first failure
	 * @return when to try again, or {@link RetryDecision#stop()}; never {@code null}
	 */
	RetryDecision decide(Throwable error, int retryCount);

}
