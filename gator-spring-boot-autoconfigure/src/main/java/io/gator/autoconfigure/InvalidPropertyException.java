package io.gator.autoconfigure;

import java.time.Duration;

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
	 * Refuse a duration that is too short or too long.
	 * @param property the property
	 * @param value its value
	 * @param least the shortest that is allowed
	 * @param most the longest that is allowed
	 * @throws InvalidPropertyException if it is neither between them nor one of them
	 */
	static void throwUnlessBetween(String property, Duration value, Duration least, Duration most) {
		if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
			throw new InvalidPropertyException(property, value, least + " to " + most);
		}
	}

	/**
	 * Refuse a property that must not have a value of its own.
	 * @param name the property
	 * @param sources where it may have one
	 * @param allowed what is allowed instead
	 * @throws InvalidPropertyException if it has a value there
	 */
	static void throwIfSet(ConfigurationPropertyName name, Iterable<ConfigurationPropertySource> sources,
			String allowed) {
		ConfigurationProperty property = PropertyInSources.find(name, sources);
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
