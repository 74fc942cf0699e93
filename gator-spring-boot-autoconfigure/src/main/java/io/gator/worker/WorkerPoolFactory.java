package io.gator.worker;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;

import io.gator.JobInterceptor;
import io.gator.JobListener;
import io.gator.routing.ArgsCodec;
import io.gator.routing.Routes;
import io.gator.store.JobStore;
import io.gator.store.WorkerStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Creates the pools of a process, which share what does not belong to one of them.
 */
public final class WorkerPoolFactory implements DisposableBean {

	private final WorkerStore workers;

	private final AttemptServices services;

	private final ScheduledThreadPoolExecutor timer;

	private final List<WorkerPool> pools = new CopyOnWriteArrayList<>();

	/**
	 * Create a factory.
	 * @param jobs where pools claim and settle
	 * @param workers where pools keep their identities
	 * @param routes the handlers
	 * @param codec reads arguments and writes results
	 * @param hooks what the application puts around handlers
	 * @param transactions for {@code transactional} jobs, if the application has a
	 * transaction manager
	 * @param metrics counts
	 */
	public WorkerPoolFactory(JobStore jobs, WorkerStore workers, Routes routes, ArgsCodec codec, Hooks hooks,
			@Nullable TransactionalCalls transactions, WorkerMetrics metrics) {
		this.workers = workers;
		CustomizableThreadFactory threads = new CustomizableThreadFactory("gator-timer-");
		threads.setDaemon(true);
		this.timer = new ScheduledThreadPoolExecutor(1, threads);
		// Timeouts are cancelled by the thousand, long before they are due.
		this.timer.setRemoveOnCancelPolicy(true);
		this.services = new AttemptServices(routes, codec, new ChainLinks(routes, codec),
				new HandlerCalls(hooks.interceptors(), hooks.listeners(), hooks.observer()), jobs, transactions,
				metrics, this.timer);
	}

	/**
	 * Create a pool, which is not started.
	 * @param settings how it works
	 * @return the pool
	 */
	public WorkerPool create(PoolSettings settings) {
		WorkerPool pool = new WorkerPool(settings, this.workers, this.services, this::wake);
		this.pools.add(pool);
		return pool;
	}

	/** Wakes the pools for which another one has brought jobs: nobody else tells them. */
	private void wake(Collection<String> queues) {
		this.pools.forEach((pool) -> pool.wake(queues));
	}

	@Override
	public void destroy() {
		this.timer.shutdownNow();
	}

	/**
	 * What an application puts around its handlers.
	 *
	 * @param interceptors wrap the call, the first one outermost
	 * @param listeners hear what happened
	 * @param observer surrounds everything, if anybody observes
	 */
	public record Hooks(List<JobInterceptor> interceptors, List<JobListener> listeners,
			@Nullable AttemptObserver observer) {

	}

}
