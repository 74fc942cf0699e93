package io.gator.leads.register;

import java.time.Duration;

/**
 * The register has too much to do, and says when to come back.
 */
public class RegisterBusyException extends RuntimeException {

	private final Duration retryAfter;

	RegisterBusyException(Duration retryAfter) {
		super("The register is busy for another " + retryAfter.toSeconds() + " s");
		this.retryAfter = retryAfter;
	}

	public Duration retryAfter() {
		return this.retryAfter;
	}

}
