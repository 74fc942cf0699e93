package io.gator;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a {@link Job} buffered: its items are dispatched one at a time and handled in
 * batches. The handler is {@code handle(List<E>)}, which succeeds or fails as a whole, or
 * {@code handle(JobBatch<E>)}, which can fail some of the items; either may also take a
 * {@link JobContext}, which is that of the first item. Each item keeps its own row,
 * attempts, error and dead letter. A batch that fails as a whole is tried again in parts,
 * so that one bad item does not hold the rest back; without retries ({@link RetryWith})
 * all its items are dead at once.
 * <p>
 * A buffered job cannot be {@linkplain Job#transactional() transactional}: start-up
 * fails. Its handler may open a transaction of its own, but the success of the items is
 * not part of that transaction.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Buffered {

	/**
	 * The most items of a batch. As soon as that many are due, they are handled.
	 * @return the size, 1 to 10,000; 1000 by default
	 */
	int size() default 1000;

	/**
	 * How long the oldest item waits at most for a batch to fill, such as {@code "5s"} or
	 * in ISO-8601. Placeholders are resolved.
	 * @return the wait, {@code "5s"} by default
	 */
	String maxWait() default "5s";

	/**
	 * How many batches of this job a pool handles at once.
	 * @return the number, 1 or more; 2 by default
	 */
	int maxConcurrent() default 2;

	/**
	 * A property of the argument, such as {@code "tenantId"}: a batch then holds only
	 * items with the same value. Each look for a batch reads the oldest items that are
	 * due: ten times the {@link #size()}, and further, up to 20,000, as long as that
	 * makes batches larger. The value is a text, a number or a boolean of at most 512
	 * characters, or the dispatch is refused; items without a value share batches.
	 * @return the property, none by default
	 */
	String key() default "";

}
