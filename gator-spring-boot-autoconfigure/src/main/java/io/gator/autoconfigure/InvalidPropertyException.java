package io.gator.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;

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

	/**
	 * Refuse a property that must not have a value of its own.
	 * @param source where it may have one
	 * @param name the property
	 * @param allowed what is allowed instead
	 * @throws InvalidPropertyException if it has a value there
	 */
	static void throwIfSet(ConfigurationPropertySource source, ConfigurationPropertyName name, String allowed) {
		ConfigurationProperty property = source.getConfigurationProperty(name);
		if (property != null) {
			throw new InvalidPropertyException(name.toString(), property.getValue(), allowed);
		}
	}

	String property() {
		return this.property;
	}

	String allowed() {
		return this.allowed;
	}

}
