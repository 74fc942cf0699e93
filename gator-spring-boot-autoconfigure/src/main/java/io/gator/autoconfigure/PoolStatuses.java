package io.gator.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import io.gator.worker.PoolStatus;
import io.gator.worker.WorkerPool;

import org.springframework.beans.factory.ObjectProvider;

/**
 * The statuses of the pools of this process; none if it only dispatches. The pools are
 * looked up at each call.
 *
 * @param pools the pools
 */
record PoolStatuses(ObjectProvider<WorkerPools> pools) implements Supplier<List<PoolStatus>> {

	@Override
	public List<PoolStatus> get() {
		return WorkerPools.allOf(this.pools).stream().map(WorkerPool::status).toList();
	}

}
