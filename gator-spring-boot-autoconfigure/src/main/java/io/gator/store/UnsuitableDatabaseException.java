package io.gator.store;

import org.jspecify.annotations.Nullable;

/**
 * The database, or the data source, is not one that Gator can work with. The message says
 * what was found and what is needed.
 */
public class UnsuitableDatabaseException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String action;

	UnsuitableDatabaseException(String message, String action) {
		super(message);
		this.action = action;
	}

	UnsuitableDatabaseException(String message, String action, @Nullable Throwable cause) {
		super(message, cause);
		this.action = action;
	}

	/**
	 * What to do about it.
	 * @return the remedy
	 */
	public String action() {
		return this.action;
	}

}
