package io.gator.autoconfigure;

import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses what only the worker as a whole has, if a pool sets it. Spring Boot leaves out
 * what it cannot bind, and a pool that is switched off would run.
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
			public void onFinish(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					@Nullable Object result) throws Exception {
				if (POOLS.isParentOf(name)) {
					// Also of a pool that sets nothing else: of that there is no result.
					REFUSED.forEach((key, allowed) -> refuse(name.append(key), allowed, context.getSources()));
				}
				super.onFinish(name, target, context, result);
			}
		};
	}

	private static void refuse(ConfigurationPropertyName name, String allowed,
			Iterable<ConfigurationPropertySource> sources) {
		for (ConfigurationPropertySource source : sources) {
			InvalidPropertyException.throwIfSet(source, name, allowed);
			if (hasMore(source, name)) {
				throw new InvalidPropertyException(name.toString(), "set", allowed);
			}
		}
	}

	// In an environment variable MY_POOLS_CONCURRENCY may be of a pool named my-pools.
	private static boolean hasMore(ConfigurationPropertySource source, ConfigurationPropertyName name) {
		return !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)
				&& source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT;
	}

}
