package io.gator.routing;

import org.jspecify.annotations.Nullable;

/**
 * The arguments in a row do not fit the handler. Trying again would not help, so the job
 * is dead at once. Neither the message nor the cause holds a value.
 */
public class UnreadableArgumentsException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message the job, the place and the type that was expected
	 * @param cause what led to it, without values
	 */
	UnreadableArgumentsException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
