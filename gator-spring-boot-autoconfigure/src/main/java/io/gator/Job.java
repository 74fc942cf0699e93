package io.gator;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.core.annotation.AliasFor;
import org.springframework.stereotype.Component;

/**
 * Makes a bean the handler of a job. The class has exactly one method named
 * {@code handle}, of any visibility, or implements {@link JobHandler}. If the bean is
 * proxied, for {@code @Transactional} for example, the method must be neither private nor
 * final.
 * <p>
 * The handler takes any parameters that Jackson can read, and optionally one
 * {@link JobContext} anywhere among them. Unless the job is {@link Buffered}, a
 * {@code List} is an argument like any other: each dispatch passes a whole list. The bean
 * is shared by all slots, so it must be thread-safe, like any other singleton.
 *
 * <pre>
 * &#64;Job(queue = "critical")
 * &#64;RetryWith(interval = EXPONENTIAL, maxRetries = 4)
 * class SendWelcomeEmail {
 *     void handle(long userId, Locale locale) { … }
 * }
 * </pre>
 *
 * @see RetryWith
 * @see JobOperations#dispatch(Class, Object...)
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Component
public @interface Job {

	/**
	 * The queue of jobs dispatched without one.
	 */
	String DEFAULT_QUEUE = "default";

	/**
	 * The name that is stored in the job's row. Renaming it strands the rows that are
	 * already there, unless the former name is kept among the {@link #aliases()}.
	 * @return the name, by default the simple name of the class
	 */
	String name() default "";

	/**
	 * Former names whose rows are still routed to this handler.
	 * @return the aliases, none by default
	 */
	String[] aliases() default {};

	/**
	 * The queue that a dispatch takes when it names none. Placeholders
	 * (<code>${…}</code>) are resolved.
	 * @return the queue, {@value #DEFAULT_QUEUE} by default
	 */
	String queue() default DEFAULT_QUEUE;

	/**
	 * How long one attempt may take, such as {@code "30s"} or in ISO-8601. After that the
	 * handler is interrupted and the attempt fails for that reason. Placeholders are
	 * resolved.
	 * @return the time-out, none by default
	 */
	String timeout() default "";

	/**
	 * Whether the handler and the success of its job commit in one transaction on the
	 * application's {@code DataSource}: its effects in that database then happen exactly
	 * once. Start-up fails if no transaction manager can be the one for that
	 * {@code DataSource}. If the transactions of the manager that was found turn out not
	 * to include it, the attempt fails before the handler is called. A {@link Buffered}
	 * job cannot be transactional: start-up fails.
	 * @return {@code false} by default
	 */
	boolean transactional() default false;

	/**
	 * The name of the bean, as in {@link Component}.
	 * @return the bean name, if any
	 */
	@AliasFor(annotation = Component.class, attribute = "value")
	String beanName() default "";

}
