package io.gator.autoconfigure;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;

/**
 * A map whose entries are left out, such as {@code queues:} or <code>queues: {}</code> in
 * YAML. Spring Boot takes it for a text without characters, which it cannot make a map
 * of, though all that is meant is that there are no entries.
 */
final class BlankValue {

	private BlankValue() {
	}

	/**
	 * Whether a property is set to nothing.
	 * @param name the property
	 * @param sources where it may be set, the strongest first
	 * @return whether the strongest of them that sets it leaves it blank
	 */
	static boolean is(ConfigurationPropertyName name, Iterable<ConfigurationPropertySource> sources) {
		for (ConfigurationPropertySource source : sources) {
			ConfigurationProperty property = source.getConfigurationProperty(name);
			if (property != null) {
				return property.getValue() instanceof CharSequence text && text.toString().isBlank();
			}
		}
		return false;
	}

}
