package io.gator.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * A property has a value that is not allowed.
 */
class InvalidPropertyException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String property;

	private final String allowed;

	InvalidPropertyException(String property, @Nullable Object value, String allowed) {
		super("%s is %s; allowed: %s".formatted(property, value, allowed));
		this.property = property;
		this.allowed = allowed;
	}

	String property() {
		return this.property;
	}

	String allowed() {
		return this.allowed;
	}

}
