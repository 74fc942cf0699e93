package io.gator;

import org.jspecify.annotations.Nullable;

/**
 * A dispatch was refused. The message names the job and the place of the mistake, never a
 * value of an argument.
 */
public class JobDispatchException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message the job, the place and the remedy
	 */
	public JobDispatchException(String message) {
		super(message);
	}

	/**
	 * Create an exception.
	 * @param message the job, the place and the remedy
	 * @param cause what led to it, if anything
	 */
	public JobDispatchException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
