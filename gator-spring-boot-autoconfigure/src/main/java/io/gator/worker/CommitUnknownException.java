package io.gator.worker;

/**
 * The answer to the commit of a transactional job was lost: its effects and its success
 * are there, or neither is.
 */
final class CommitUnknownException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	CommitUnknownException(Throwable cause) {
		super("The answer to the commit was lost", cause);
	}

}
