package io.gator.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.gator.worker.PoolSettings;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * How long Spring waits for the pools at shutdown.
 *
 * @param timeout the time
 */
record SpringShutdown(Duration timeout) {

	private static final String PROPERTY = "spring.lifecycle.timeout-per-shutdown-phase";

	static SpringShutdown of(Environment environment) {
		return new SpringShutdown(
				Binder.get(environment).bind(PROPERTY, Duration.class).orElse(Duration.ofSeconds(30)));
	}

	/**
	 * Refuse pools whose shutdown time-out is longer. Spring does not wait for them that
	 * long, so the time-out would be a promise that cannot be kept.
	 * @param pools the pools
	 */
	void refuseLonger(List<PoolSettings> pools) {
		for (PoolSettings pool : pools) {
			if (pool.shutdownTimeout().compareTo(this.timeout) > 0) {
				throw new InvalidPropertyException(PoolSettingsFactory.prefix(pool.name()) + ".shutdown-timeout",
						pool.shutdownTimeout(), "at most " + PROPERTY + ", which is " + this.timeout);
			}
		}
	}

}
