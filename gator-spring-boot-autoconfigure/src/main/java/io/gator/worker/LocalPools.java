package io.gator.worker;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.gator.JobPools;

/**
 * The pools of this process, for people.
 */
public final class LocalPools implements JobPools {

	private final Supplier<List<WorkerPool>> pools;

	/**
	 * Create a view of all pools.
	 * @param pools supplies the pools, none if the process only dispatches
	 */
	public LocalPools(Supplier<List<WorkerPool>> pools) {
		this.pools = pools;
	}

	@Override
	public Map<String, Integer> concurrency() {
		Map<String, Integer> concurrency = new LinkedHashMap<>();
		this.pools.get().forEach((pool) -> concurrency.put(pool.name(), pool.concurrency()));
		return Collections.unmodifiableMap(concurrency);
	}

	@Override
	public void resize(String pool, int concurrency) {
		if (!PoolSettings.isConcurrency(concurrency)) {
			throw new IllegalArgumentException("The concurrency of pool '" + pool + "' is to be " + concurrency
					+ ", but must be " + PoolSettings.CONCURRENCY);
		}
		find(pool).resize(concurrency);
	}

	private WorkerPool find(String name) {
		return this.pools.get()
			.stream()
			.filter((pool) -> pool.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"This process has no pool '" + name + "'. Its pools: " + concurrency().keySet()));
	}

}
