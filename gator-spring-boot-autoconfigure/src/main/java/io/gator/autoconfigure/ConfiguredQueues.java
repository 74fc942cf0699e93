package io.gator.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

import io.gator.metrics.BoundedNames;
import io.gator.worker.PoolSettings;

/**
 * The queues that the configuration names.
 */
final class ConfiguredQueues {

	private ConfiguredQueues() {
	}

	/**
	 * The queues with their weights in this process.
	 * @param properties the configuration
	 * @return weights by queue
	 */
	static Map<String, Integer> weights(GatorProperties properties) {
		Map<String, Integer> queues = new LinkedHashMap<>();
		GatorProperties.Worker worker = properties.worker();
		Objects.requireNonNullElse(worker.pools(), Map.<String, GatorProperties.Pool>of())
			.values()
			.forEach((pool) -> queues.putAll(Objects.requireNonNullElse(pool.queues(), Map.<String, Integer>of())));
		queues.putAll(Objects.requireNonNullElse(worker.queues(), Map.<String, Integer>of()));
		queues.remove(PoolSettings.ALL);
		return queues;
	}

	/**
	 * Bounds the names of queues; those that are configured have a place for sure.
	 * @param properties the configuration
	 * @return bounded names
	 */
	static BoundedNames bounded(GatorProperties properties) {
		return new BoundedNames(properties.insight().maxQueues(), weights(properties).keySet());
	}

}
