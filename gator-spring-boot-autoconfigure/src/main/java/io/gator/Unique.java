package io.gator;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes every dispatch of a {@link Job} unique by its arguments: while a live job with
 * the same arguments exists, a dispatch adds nothing and returns the id of that job. A
 * {@link DispatchSpec#uniqueKey(String)} given at dispatch wins over this. The key begins
 * with the job's name, so jobs of a former name do not hold back new ones.
 * <p>
 * If a dispatch inside a transaction returns the id of a live job, that job may start,
 * and read, before the transaction commits. If a run must see what the transaction
 * writes, dispatch after the commit with {@link Until#STARTED}, or a job that is not
 * unique.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Unique {

	/**
	 * The positions, from 0, of the arguments that make the key.
	 * @return the positions; all arguments by default
	 */
	int[] args() default {};

	/**
	 * How long the key is taken.
	 * @return {@link Until#FINISHED} by default
	 */
	Until until() default Until.FINISHED;

	/**
	 * How long a key is taken.
	 */
	enum Until {

		/**
		 * Until the job is claimed: one job may wait while another with the same key
		 * runs.
		 */
		STARTED,

		/** Until the job has succeeded, is dead or cancelled. */
		FINISHED

	}

}
