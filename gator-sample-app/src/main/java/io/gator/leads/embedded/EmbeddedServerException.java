package io.gator.leads.embedded;

import org.jspecify.annotations.Nullable;

/**
 * A server within this process did not start.
 */
class EmbeddedServerException extends RuntimeException {

	private final String remedy;

	EmbeddedServerException(String message, String remedy, @Nullable Throwable cause) {
		super(message, cause);
		this.remedy = remedy;
	}

	String remedy() {
		return this.remedy;
	}

}
