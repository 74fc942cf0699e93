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
final class TestAttempts implements AutoCloseable {

	private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

	private final GenericApplicationContext context = new GenericApplicationContext();

	private final Attempts attempts;

	TestAttempts(JobStore store, Class<?>... jobs) {
		this(store, WorkerMetrics.NONE, jobs);
	}

	TestAttempts(JobStore store, WorkerMetrics metrics, Class<?>... jobs) {
		for (Class<?> job : jobs) {
			this.context.registerBean(job);
		}
		this.context.refresh();
		ArgsCodec codec = new ArgsCodec(List.of(), 1000);
		Routes routes = Routes.of(this.context.getBeanFactory(), this.context.getEnvironment(), codec,
				RetryDefaults.NONE);
		this.attempts = new Attempts(routes, codec, new HandlerCalls(List.of(), List.of(), null), store, null, metrics,
				this.clock, 1000);
	}

	Attempts get() {
		return this.attempts;
	}

	@Override
	public void close() {
		this.context.close();
		this.clock.shutdownNow();
	}

}
