package io.gator.worker;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.gator.routing.ArgsCodec;
import io.gator.routing.RetryDefaults;
import io.gator.routing.Routes;
import io.gator.store.JobStore;

import org.springframework.context.support.GenericApplicationContext;

/**
 * What attempts of some jobs need, without hooks and transactions.
 */
final class TestServices implements AutoCloseable {

	private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

	private final GenericApplicationContext context = new GenericApplicationContext();

	private final AttemptServices services;

	TestServices(JobStore store, Class<?>... jobs) {
		this(store, WorkerMetrics.NONE, jobs);
	}

	TestServices(JobStore store, WorkerMetrics metrics, Class<?>... jobs) {
		for (Class<?> job : jobs) {
			this.context.registerBean(job);
		}
		this.context.refresh();
		ArgsCodec codec = new ArgsCodec(List.of(), 1000);
		Routes routes = Routes.of(this.context.getBeanFactory(), this.context.getEnvironment(), codec,
				RetryDefaults.NONE);
		this.services = new AttemptServices(routes, codec, new ChainLinks(routes, codec),
				new HandlerCalls(List.of(), List.of(), null), store, null, metrics, this.clock);
	}

	AttemptServices get() {
		return this.services;
	}

	@Override
	public void close() {
		this.context.close();
		this.clock.shutdownNow();
	}

}
