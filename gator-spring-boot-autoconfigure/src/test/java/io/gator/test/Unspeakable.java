package io.gator.test;

/**
 * An error whose message cannot be read, so that the log throws where it is told of it.
 */
public final class Unspeakable extends Error {

	private static final long serialVersionUID = 1L;

	@Override
	public String getMessage() {
		throw new OutOfMemoryError("no memory for the message");
	}

}
