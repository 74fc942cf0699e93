package io.gator.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;

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
		worker.pools().values().forEach((pool) -> queues.putAll(pool.queues()));
		queues.putAll(worker.queues());
		queues.remove(PoolSettings.ALL);
		return queues;
	}

	/**
	 * Bounds the names of queues; those that are configured come first.
	 * @param properties the configuration
	 * @return bounded names
	 */
	static BoundedNames bounded(GatorProperties properties) {
		return new BoundedNames(properties.insight().maxQueues(), weights(properties).keySet());
	}

}
