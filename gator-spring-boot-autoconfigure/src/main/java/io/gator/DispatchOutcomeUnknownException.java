package io.gator;

/**
 * The connection failed while the database was committing a dispatch, or the answer of
 * the database was lost in another way. Nobody can tell whether the job exists.
 * Dispatching again may make a second job, unless both dispatches carry the same
 * {@linkplain DispatchSpec#uniqueKey(String) unique key} and the first job, if it exists,
 * is still live.
 */
public class DispatchOutcomeUnknownException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message the job concerned
	 * @param cause how the answer was lost
	 */
	public DispatchOutcomeUnknownException(String message, Throwable cause) {
		super(message, cause);
	}

}
