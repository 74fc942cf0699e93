package io.gator.worker;

import java.time.Duration;
import java.util.Objects;

import io.gator.routing.Route;
import org.jspecify.annotations.Nullable;

/**
 * An attempt took longer than its job may.
 */
final class JobTimeoutException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private JobTimeoutException(Duration timeout, @Nullable Throwable cause) {
		super("The handler did not end within its timeout of " + timeout, cause);
	}

	/**
	 * An exception for a handler that has ended too late.
	 * @param route the handler
	 * @param cause what it threw, if anything
	 * @return the exception
	 */
	static JobTimeoutException of(Route route, @Nullable Throwable cause) {
		return new JobTimeoutException(Objects.requireNonNullElse(route.timeout(), Duration.ZERO), cause);
	}

}
