package io.gator.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import io.gator.worker.PoolStatus;
import io.gator.worker.WorkerPool;

import org.springframework.beans.factory.ObjectProvider;

/**
 * How the pools of this process are; none where it only dispatches. Looked up late.
 *
 * @param pools the pools
 */
record PoolStatuses(ObjectProvider<WorkerPools> pools) implements Supplier<List<PoolStatus>> {

	@Override
	public List<PoolStatus> get() {
		WorkerPools all = this.pools.getIfAvailable();
		return (all != null) ? all.all().stream().map(WorkerPool::status).toList() : List.of();
	}

}
