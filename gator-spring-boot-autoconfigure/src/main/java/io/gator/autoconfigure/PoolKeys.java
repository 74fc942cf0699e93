package io.gator.autoconfigure;

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
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Keeps each pool once, however sources spell its name.
 * <p>
 * Refuses keys of a pool that only the worker as a whole has, and keys that belong to no
 * pool. Spring Boot ignores what it cannot bind: a pool that is switched off would run,
 * and a pool whose name has a dot would not.
 */
final class PoolKeys implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final ConfigurationPropertyName POOLS = ConfigurationPropertyName.of("gator.worker.pools");

	private static final Map<String, String> REFUSED = Map.of("enabled",
			"only gator.worker.enabled, for all pools; leave out a pool that is not to run", "wake-up",
			"only gator.worker.wake-up, for all pools", "pools", "only gator.worker.pools; a pool has none of its own");

	@Override
	public BindHandler apply(BindHandler bindHandler) {
		return new AbstractBindHandler(bindHandler) {
			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				Object bound = super.onSuccess(name, target, context, result);
				return (POOLS.equals(name) && bound instanceof Map<?, ?> pools) ? once(pools) : bound;
			}

			@Override
			public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Exception error) throws Exception {
				if (POOLS.equals(name) && PropertyInSources.isBlank(name, context.getSources())) {
					return Map.of();
				}
				return super.onFailure(name, target, context, error);
			}

			@Override
			public void onFinish(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					@Nullable Object result) throws Exception {
				if (POOLS.isParentOf(name)) {
					// Also for a pool that sets nothing else, for which there is no
					// result.
					REFUSED.forEach((key, allowed) -> refuse(name.append(key), allowed, context.getSources()));
					refuseBelowKeys(name, context.getSources());
				}
				super.onFinish(name, target, context, result);
			}
		};
	}

	/**
	 * Keep each pool once. For Spring Boot {@code my-reports} in a file and
	 * {@code MYREPORTS} in the environment are the same when it reads the keys of a pool,
	 * but not when it collects the names: each name would become a pool with the settings
	 * of both. The weakest source comes last, and has the name as a file spells it.
	 */
	private static Map<Object, Object> once(Map<?, ?> pools) {
		Map<List<Object>, Object> names = new LinkedHashMap<>();
		// In brackets names differ by case and dashes, and have settings of their own.
		pools.forEach((name, pool) -> names
			.put(List.of(name.toString().toLowerCase(Locale.ROOT).replace("-", ""), pool), name));
		Map<Object, Object> once = new LinkedHashMap<>();
		names.forEach((same, name) -> once.put(name, same.get(1)));
		return once;
	}

	private static void refuse(ConfigurationPropertyName name, String allowed,
			Iterable<ConfigurationPropertySource> sources) {
		InvalidPropertyException.throwIfSet(name, sources, allowed);
		for (ConfigurationPropertySource source : sources) {
			if (hasMore(source, name)) {
				throw new InvalidPropertyException(name.toString(), "set", allowed);
			}
		}
	}

	/**
	 * Refuse what is below a key of a pool: only its queues have something there. If the
	 * name of a pool has a dot and is not written in brackets, it ends at the dot for
	 * Spring Boot, which takes the rest for a key. Nothing would be bound, and no pool
	 * would run.
	 */
	private static void refuseBelowKeys(ConfigurationPropertyName pool, Iterable<ConfigurationPropertySource> sources) {
		int depth = pool.getNumberOfElements();
		for (ConfigurationPropertySource source : sources) {
			if (source instanceof IterableConfigurationPropertySource names && !isEnvironment(source)) {
				names.stream()
					.filter((name) -> pool.isAncestorOf(name) && name.getNumberOfElements() > depth + 1)
					.filter((name) -> !name.getElement(depth, Form.UNIFORM).equals("queues"))
					.findFirst()
					.ifPresent((name) -> {
						throw new InvalidPropertyException(name.toString(), "set",
								"a name of a pool that has a dot is written in brackets: "
										+ POOLS.append("[" + pool.getLastElement(Form.ORIGINAL) + "."
												+ name.getElement(depth, Form.ORIGINAL) + "]"));
					});
			}
		}
	}

	private static boolean hasMore(ConfigurationPropertySource source, ConfigurationPropertyName name) {
		return !isEnvironment(source) && source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT;
	}

	// In an environment variable MY_POOLS_CONCURRENCY may be of a pool named my-pools.
	private static boolean isEnvironment(ConfigurationPropertySource source) {
		return source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
	}

}
