package io.gator.autoconfigure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Keeps the names of queues as they are written. Spring Boot takes {@code *} and
 * {@code :} away from the keys of a map that are not in brackets, and takes
 * {@code my_mail} and {@code myMail} for the same one; but if the name of a queue
 * silently became another one, nobody would serve the queue. So the maps of queues are
 * read once more from the names of the properties themselves.
 * <p>
 * Also keeps their order: a property that only overrides a weight does not move its queue
 * to the front. A name in an environment variable has lost some of its characters
 * already, so it stands for a queue that a file names, if one matches.
 */
final class QueueNames implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName WORKER = ConfigurationPropertyName.of("gator.worker");

	private static final ConfigurationPropertyName POOLS = WORKER.append("pools");

	private final Environment environment;

	QueueNames(Environment environment) {
		this.environment = environment;
	}

	@Override
	public BindHandler apply(BindHandler bindHandler) {
		return new AbstractBindHandler(bindHandler) {
			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				Object bound = super.onSuccess(name, target, context, result);
				return isQueues(name) ? read(name, context.getSources()) : bound;
			}

			@Override
			public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Exception error) throws Exception {
				if (isQueues(name)) {
					// Spring Boot takes a star alone for a value of the map itself.
					Map<String, Integer> queues = read(name, context.getSources());
					if (!queues.isEmpty() || PropertyInSources.isBlank(name, context.getSources())) {
						return queues;
					}
					// Spring Boot would only say that it cannot convert a text.
					InvalidPropertyException.throwIfSet(name, context.getSources(),
							"queue names with weights, such as %s.critical=5".formatted(name));
				}
				return super.onFailure(name, target, context, error);
			}
		};
	}

	private static boolean isQueues(ConfigurationPropertyName name) {
		ConfigurationPropertyName parent = name.getParent();
		return name.getLastElement(Form.UNIFORM).equals("queues")
				&& (WORKER.equals(parent) || POOLS.isParentOf(parent));
	}

	private Map<String, Integer> read(ConfigurationPropertyName root, Iterable<ConfigurationPropertySource> sources) {
		List<ConfigurationPropertySource> weakestFirst = new ArrayList<>();
		sources.forEach(weakestFirst::add);
		Collections.reverse(weakestFirst);
		Map<String, Integer> queues = new LinkedHashMap<>();
		for (ConfigurationPropertySource source : weakestFirst) {
			if (source.getUnderlyingSource() instanceof EnumerablePropertySource<?> properties
					&& !(properties instanceof SystemEnvironmentPropertySource)) {
				readExact(root, properties, queues);
			}
			else if (source instanceof IterableConfigurationPropertySource iterable) {
				readLoose(root, iterable, queues);
			}
		}
		return queues;
	}

	private void readExact(ConfigurationPropertyName root, EnumerablePropertySource<?> properties,
			Map<String, Integer> queues) {
		for (String property : properties.getPropertyNames()) {
			String queue = queue(root, property);
			if (queue != null) {
				queues.put(queue, weight(property, properties.getProperty(property)));
			}
		}
	}

	private void readLoose(ConfigurationPropertyName root, IterableConfigurationPropertySource source,
			Map<String, Integer> queues) {
		source.stream().filter(root::isAncestorOf).forEach((name) -> {
			var property = source.getConfigurationProperty(name);
			if (property != null) {
				String queue = name.subName(root.getNumberOfElements()).toString();
				String meant = queues.keySet()
					.stream()
					.filter((other) -> characters(other).equals(characters(queue)))
					.findFirst()
					.orElse(queue);
				queues.put(meant, weight(name.toString(), property.getValue()));
			}
		});
	}

	private static String characters(String queue) {
		return queue.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
	}

	/**
	 * The name of the queue in that of a property.
	 * @return the rest of the name behind the root, {@code null} if it is not under it
	 */
	private static @Nullable String queue(ConfigurationPropertyName root, String property) {
		if (!property.regionMatches(true, 0, "gator", 0, 5)) {
			return null;
		}
		for (int end = 0; end < property.length() - 1; end++) {
			char next = property.charAt(end);
			if ((next == '.' || next == '[')
					&& root.equals(ConfigurationPropertyName.adapt(property.substring(0, end), '.'))) {
				String rest = property.substring(end + 1);
				return (next == '[' && rest.endsWith("]")) ? rest.substring(0, rest.length() - 1) : rest;
			}
		}
		return null;
	}

	private Integer weight(String property, @Nullable Object value) {
		String text = this.environment.resolveRequiredPlaceholders(String.valueOf(value)).strip();
		try {
			return Integer.valueOf(text);
		}
		catch (NumberFormatException ex) {
			throw new InvalidPropertyException(property, text, PoolSettingsFactory.WEIGHTS);
		}
	}

}
