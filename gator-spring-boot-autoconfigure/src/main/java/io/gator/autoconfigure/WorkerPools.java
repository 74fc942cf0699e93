package io.gator.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import io.gator.worker.WorkerPool;

import org.springframework.beans.factory.ObjectProvider;

/**
 * All pools of this process.
 *
 * @param all the pools, in the order of the configuration
 */
record WorkerPools(List<WorkerPool> all) {

	/**
	 * The pools of this process, looked up now.
	 * @param pools the bean, if there is one
	 * @return the pools; none if the process only dispatches
	 */
	static List<WorkerPool> allOf(ObjectProvider<WorkerPools> pools) {
		WorkerPools found = pools.getIfAvailable();
		return (found != null) ? found.all() : List.of();
	}

	void registerQueues() {
		this.all.forEach(WorkerPool::registerQueues);
	}

	void wake(Collection<String> queues) {
		this.all.forEach((pool) -> pool.wake(queues));
	}

	Collection<Long> identities() {
		List<Long> ids = new ArrayList<>();
		this.all.forEach((pool) -> ids.addAll(pool.identities()));
		return ids;
	}

	Duration shortestHeartbeat() {
		return this.all.stream()
			.map((pool) -> pool.settings().heartbeat())
			.min(Comparator.naturalOrder())
			.orElseThrow();
	}

}
