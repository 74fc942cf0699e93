package io.gator.worker;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * An attempt took longer than its job may.
 */
final class JobTimeoutException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	JobTimeoutException(Duration timeout, @Nullable Throwable cause) {
		super("The handler did not end within its timeout of " + timeout, cause);
	}

}
