package io.gator.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;

/**
 * A property as the strongest source that sets it has it, before anything is bound.
 */
final class PropertyInSources {

	private PropertyInSources() {
	}

	/**
	 * Find a property.
	 * @param name the property
	 * @param sources where it may be set, the strongest first
	 * @return the property with its value, {@code null} if no source sets it
	 */
	static @Nullable ConfigurationProperty find(ConfigurationPropertyName name,
			Iterable<ConfigurationPropertySource> sources) {
		for (ConfigurationPropertySource source : sources) {
			ConfigurationProperty property = source.getConfigurationProperty(name);
			if (property != null) {
				return property;
			}
		}
		return null;
	}

	/**
	 * Whether a property is set to nothing, which for a map means that it has no entries:
	 * {@code queues:} or <code>queues: {}</code> in YAML. Spring Boot takes that for a
	 * text without characters, which it cannot make a map of.
	 * @param name the property
	 * @param sources where it may be set, the strongest first
	 * @return whether the strongest of them that sets it leaves it blank
	 */
	static boolean isBlank(ConfigurationPropertyName name, Iterable<ConfigurationPropertySource> sources) {
		ConfigurationProperty property = find(name, sources);
		return property != null && property.getValue() instanceof CharSequence text && text.toString().isBlank();
	}

}
