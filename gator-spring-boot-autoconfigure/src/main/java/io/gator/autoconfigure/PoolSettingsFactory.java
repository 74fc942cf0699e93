package io.gator.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.gator.autoconfigure.GatorProperties.Worker;
import io.gator.routing.Names;
import io.gator.worker.PoolSettings;

/**
 * Makes the settings of all pools from the properties, and checks them.
 */
final class PoolSettingsFactory {

	static final String WEIGHTS = "a weight of 1 to 1000";

	private PoolSettingsFactory() {
	}

	static List<PoolSettings> create(Worker worker, boolean virtualThreads) {
		List<PoolSettings> all = new ArrayList<>();
		PoolSettings first = check(worker.pool(virtualThreads));
		all.add(first);
		worker.pools().forEach((name, pool) -> all.add(check(pool.pool(name, first))));
		return all;
	}

	private static PoolSettings check(PoolSettings pool) {
		String prefix = prefix(pool.name());
		if (!PoolSettings.isConcurrency(pool.concurrency())) {
			throw new InvalidPropertyException(prefix + ".concurrency", pool.concurrency(), PoolSettings.CONCURRENCY);
		}
		pool.queues().forEach((queue, weight) -> {
			if (!queue.equals(PoolSettings.ALL) && !Names.isValid(queue)) {
				throw new InvalidPropertyException(prefix + ".queues", "'" + queue + "'",
						"names of the form " + Names.FORM + ", and * for all others");
			}
			if (weight == null || weight < 1 || weight > 1000) {
				throw new InvalidPropertyException(prefix + ".queues." + queue, weight, WEIGHTS);
			}
		});
		InvalidPropertyException.throwUnlessBetween(prefix + ".poll-interval", pool.pollInterval(),
				Duration.ofMillis(10), Duration.ofHours(1));
		InvalidPropertyException.throwUnlessBetween(prefix + ".prefetch", pool.prefetch(), Duration.ZERO,
				Duration.ofSeconds(10));
		InvalidPropertyException.throwUnlessBetween(prefix + ".heartbeat", pool.heartbeat(), Duration.ofMillis(50),
				Duration.ofMinutes(10));
		InvalidPropertyException.throwUnlessBetween(prefix + ".lease", pool.lease(), Duration.ofMillis(150),
				Duration.ofHours(24));
		if (pool.lease().compareTo(pool.heartbeat().multipliedBy(3)) < 0) {
			throw new InvalidPropertyException(prefix + ".lease", pool.lease(),
					"at least three times " + prefix + ".heartbeat, which is " + pool.heartbeat());
		}
		InvalidPropertyException.throwUnlessBetween(prefix + ".shutdown-timeout", pool.shutdownTimeout(), Duration.ZERO,
				Duration.ofHours(1));
		return pool;
	}

	static String prefix(String pool) {
		return pool.equals(Worker.DEFAULT_POOL) ? "gator.worker" : "gator.worker.pools." + pool;
	}

}
