package io.gator.routing;

import org.jspecify.annotations.Nullable;

/**
 * Carries the reason from the argument where something does not fit to where the job is
 * known. Holds no values.
 */
final class MisfitException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	MisfitException(String message) {
		this(message, null);
	}

	MisfitException(String message, @Nullable Throwable cause) {
		super(message, cause, false, false);
	}

}
