package io.gator.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.gator.autoconfigure.GatorProperties.Pool;
import io.gator.autoconfigure.GatorProperties.QueueOrder;
import io.gator.autoconfigure.GatorProperties.Worker;
import io.gator.worker.PoolSettings;

/**
 * Makes the settings of all pools from the properties: what a pool does not set it takes
 * from the worker, except the queues.
 */
final class PoolSettingsFactory {

	private PoolSettingsFactory() {
	}

	static List<PoolSettings> create(Worker worker, boolean virtualThreads) {
		List<PoolSettings> all = new ArrayList<>();
		all.add(new PoolSettings(Worker.DEFAULT_POOL, worker.concurrency(), worker.queues(),
				worker.queueOrder() == QueueOrder.STRICT, worker.pollInterval(), worker.prefetch(), worker.heartbeat(),
				worker.lease(), worker.shutdownTimeout(), virtualThreads));
		worker.pools().forEach((name, pool) -> all.add(create(name, pool, worker, virtualThreads)));
		return all;
	}

	private static PoolSettings create(String name, Pool pool, Worker worker, boolean virtualThreads) {
		int concurrency = Objects.requireNonNullElse(pool.concurrency(), worker.concurrency());
		Map<String, Integer> queues = pool.queues();
		QueueOrder order = Objects.requireNonNullElse(pool.queueOrder(), worker.queueOrder());
		Duration poll = Objects.requireNonNullElse(pool.pollInterval(), worker.pollInterval());
		Duration prefetch = Objects.requireNonNullElse(pool.prefetch(), worker.prefetch());
		Duration heartbeat = Objects.requireNonNullElse(pool.heartbeat(), worker.heartbeat());
		Duration lease = Objects.requireNonNullElse(pool.lease(), worker.lease());
		Duration shutdown = Objects.requireNonNullElse(pool.shutdownTimeout(), worker.shutdownTimeout());
		GatorProperties.check(prefix(name), concurrency, queues, poll, prefetch, heartbeat, lease, shutdown);
		return new PoolSettings(name, concurrency, queues, order == QueueOrder.STRICT, poll, prefetch, heartbeat, lease,
				shutdown, virtualThreads);
	}

	static String prefix(String pool) {
		return pool.equals(Worker.DEFAULT_POOL) ? "gator.worker" : "gator.worker.pools." + pool;
	}

}
