package io.gator.routing;

import org.jspecify.annotations.Nullable;

/**
 * A job is declared in a way that cannot work. Fails start-up, where it is shown as a
 * description and an action.
 */
public class InvalidJobException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String action;

	/**
	 * Create an exception.
	 * @param description what is wrong, naming the culprits
	 * @param action the remedy
	 */
	public InvalidJobException(String description, String action) {
		this(description, action, null);
	}

	/**
	 * Create an exception.
	 * @param description what is wrong, naming the culprits
	 * @param action the remedy
	 * @param cause what led to it, if anything
	 */
	InvalidJobException(String description, String action, @Nullable Throwable cause) {
		super(description, cause);
		this.action = action;
	}

	/**
	 * The remedy.
	 * @return a text for the author of the job
	 */
	public String action() {
		return this.action;
	}

}
