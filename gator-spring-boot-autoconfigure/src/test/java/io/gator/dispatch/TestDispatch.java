package io.gator.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

import io.gator.JobListener;
import io.gator.routing.ArgsCodec;
import io.gator.routing.RetryDefaults;
import io.gator.routing.Routes;
import io.gator.store.DispatchStore;
import io.gator.store.GatorStores;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * A dispatcher with what it tells its hooks and listeners, and nothing else around it.
 */
final class TestDispatch {

	static final int MAX_PAYLOAD = 1_000_000;

	final List<List<Dispatched>> heard = new ArrayList<>();

	final List<String> listened = new ArrayList<>();

	final ArgsCodec codec = new ArgsCodec(List.of(), MAX_PAYLOAD);

	private final Routes routes;

	private final List<DispatchHook> hooks = new ArrayList<>(List.of(this.heard::add));

	private final List<JobListener> listeners = new ArrayList<>();

	private @Nullable DispatchObserver observer;

	/** That of the application's data source, if it is known. */
	@Nullable PlatformTransactionManager manager;

	TestDispatch(Class<?>... jobs) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(jobs);
		this.routes = Routes.of(context.getBeanFactory(), context.getEnvironment(), this.codec, RetryDefaults.NONE);
	}

	TestDispatch listening() {
		this.listeners.add(new JobListener() {

			@Override
			public void dispatched(long id, String name, String queue) {
				TestDispatch.this.listened.add(id + " " + name + " " + queue);
			}

		});
		return this;
	}

	TestDispatch with(DispatchHook hook) {
		this.hooks.add(0, hook);
		return this;
	}

	TestDispatch with(JobListener listener) {
		this.listeners.add(0, listener);
		return this;
	}

	TestDispatch with(DispatchObserver observer) {
		this.observer = observer;
		return this;
	}

	/**
	 * Make the dispatcher of an application.
	 * @param dataSource the application's
	 */
	Dispatcher on(DataSource dataSource) {
		return on(dataSource, store(dataSource));
	}

	Dispatcher on(DataSource dataSource, DispatchStore store) {
		return on(dataSource, store, this.listeners);
	}

	Dispatcher on(DataSource dataSource, DispatchStore store, Iterable<JobListener> listeners) {
		return new Dispatcher(dataSource, () -> this.manager, store, this.routes, this.codec, this.hooks, listeners,
				this.observer);
	}

	static DispatchStore store(DataSource engine) {
		return GatorStores.open(engine, "public", Duration.ofSeconds(10), true).dispatch();
	}

}
