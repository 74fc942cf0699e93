package io.gator.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.worker.WorkerPool;

import org.springframework.context.SmartLifecycle;

/**
 * All pools of this process, started and stopped together.
 */
final class WorkerPools implements SmartLifecycle {

	private final List<WorkerPool> pools;

	private final Runnable beforeStart;

	WorkerPools(List<WorkerPool> pools, Runnable beforeStart) {
		this.pools = List.copyOf(pools);
		this.beforeStart = beforeStart;
	}

	/**
	 * The pools.
	 * @return the pools, in the order of the configuration
	 */
	public List<WorkerPool> all() {
		return this.pools;
	}

	/**
	 * Say that there may be work.
	 * @param queues where; an empty name means anywhere
	 */
	void wake(Collection<String> queues) {
		this.pools.forEach((pool) -> pool.wake(queues));
	}

	Collection<Long> identities() {
		List<Long> ids = new ArrayList<>();
		this.pools.forEach((pool) -> ids.addAll(pool.identities()));
		return ids;
	}

	Duration shortestHeartbeat() {
		return this.pools.stream()
			.map((pool) -> pool.settings().heartbeat())
			.min(Comparator.naturalOrder())
			.orElseThrow();
	}

	@Override
	public void start() {
		this.beforeStart.run();
		this.pools.forEach(WorkerPool::start);
	}

	@Override
	public void stop() {
		CountDownLatch stopped = new CountDownLatch(1);
		stop(stopped::countDown);
		try {
			stopped.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Override
	public void stop(Runnable callback) {
		AtomicInteger left = new AtomicInteger(this.pools.size());
		for (WorkerPool pool : this.pools) {
			pool.stop(() -> {
				if (left.decrementAndGet() == 0) {
					callback.run();
				}
			});
		}
	}

	@Override
	public boolean isRunning() {
		return this.pools.stream().anyMatch(WorkerPool::isRunning);
	}

	@Override
	public int getPhase() {
		return WorkerPool.PHASE;
	}

}
