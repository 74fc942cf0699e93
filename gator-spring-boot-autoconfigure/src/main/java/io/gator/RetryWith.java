package io.gator;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What follows when an attempt of a {@link Job} fails. Without this annotation the
 * application's default applies ({@code gator.retry.*}), which is not to retry: the first
 * failure makes the job dead.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface RetryWith {

	/**
	 * The {@link #interval()} that grows with each retry: {@code 30 + retryCount^5}
	 * seconds, that is 30, 31, 62, 273, 1054 … seconds.
	 */
	String EXPONENTIAL = "exponential";

	/**
	 * Value for {@link #maxRetries()}: never give up.
	 */
	int UNLIMITED = -1;

	/**
	 * The time between a failure and the next attempt: {@link #EXPONENTIAL} or a duration
	 * such as {@code "5m"} or {@code "PT5M"}. Placeholders are resolved.
	 * @return the interval, exponential by default
	 */
	String interval() default EXPONENTIAL;

	/**
	 * How many times a failed job is started again at most, so that it starts no more
	 * than {@code maxRetries + 1} times in all. An attempt that ended with its process
	 * counts as well.
	 * @return the number of retries, 10 by default
	 */
	int maxRetries() default 10;

	/**
	 * The queue where retries go, unless the {@link #policy()} names another.
	 * Placeholders are resolved.
	 * @return the queue, by default the one the job is in
	 */
	String queue() default "";

	/**
	 * A policy that decides instead of {@link #interval()}; {@link #maxRetries()} remains
	 * the limit, and {@link #queue()} holds for decisions that name no queue. The bean of
	 * the policy's class is taken if there is one, otherwise an instance is created at
	 * start-up with the dependencies of its constructor.
	 * @return the policy, none by default
	 */
	Class<? extends RetryPolicy> policy() default RetryPolicy.class;

	/**
	 * Exceptions that are never retried, subclasses included. Only what the handler
	 * throws is looked at, not its causes.
	 * @return the types, none by default
	 */
	Class<? extends Throwable>[] noRetryFor() default {};

}
