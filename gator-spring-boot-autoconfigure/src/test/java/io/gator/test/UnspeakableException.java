package io.gator.test;

/**
 * An exception whose message cannot be read, as a data source of the application may
 * throw it.
 */
public final class UnspeakableException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	@Override
	public String getMessage() {
		throw new UnsupportedOperationException("no message");
	}

}
