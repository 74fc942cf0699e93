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

	/**
	 * Say of a failure what may be said of it.
	 * @param what what does not fit, and how
	 * @param failure what was thrown, by Jackson or by classes that it calls
	 * @return what to throw
	 */
	static MisfitException of(String what, Throwable failure) {
		return new MisfitException(what + ": " + Redaction.describe(failure), Redaction.withoutMessage(failure));
	}

}
