package io.gator;

/**
 * The connection failed while the database was committing a dispatch, or its answer was
 * lost otherwise, so that nobody can tell whether the job exists. Dispatching again may
 * make a second job, unless both dispatches carry the same
 * {@linkplain DispatchSpec#uniqueKey(String) unique key} and the first job, if it exists,
 * is still live.
 */
public class DispatchOutcomeUnknownException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception.
	 * @param message the job concerned
	 * @param cause what became of the answer
	 */
	public DispatchOutcomeUnknownException(String message, Throwable cause) {
		super(message, cause);
	}

}
