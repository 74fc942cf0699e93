package io.gator.fault;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.gator.store.DispatchStore;
import io.gator.store.GatorStores;
import io.gator.store.JobStore;
import io.gator.store.Settlement;
import io.gator.store.WorkerStore;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Ends a process at a named step: {@code settle:before:5} is just before the fifth
 * settlement is sent, {@code claim:after:3} just after the third claim was committed. A
 * step is a method of a store, {@code commit} on a connection of the application's, or
 * {@code release}: the settlement that gives back at shutdown what was not started.
 */
final class Halt implements BeanPostProcessor, ApplicationListener<ContextClosedEvent> {

	/** How a process ends that was halted, and no other. */
	static final int STATUS = 77;

	private final Supplier<Journal> journal;

	private final String step;

	private final boolean before;

	private final AtomicInteger left;

	private volatile boolean closing;

	Halt(String at, Supplier<Journal> journal) {
		this.journal = journal;
		String[] parts = at.split(":");
		this.step = parts[0];
		this.before = parts[1].equals("before");
		this.left = new AtomicInteger(Integer.parseInt(parts[2]));
	}

	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		this.closing = true;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (bean instanceof GatorStores stores) {
			Internals.set(stores, "jobs", around(JobStore.class, stores.jobs()));
			Internals.set(stores, "workers", around(WorkerStore.class, stores.workers()));
			Internals.set(stores, "dispatch", around(DispatchStore.class, stores.dispatch()));
		}
		if (bean instanceof DataSource dataSource && this.step.equals("commit")) {
			return new DelegatingDataSource(dataSource) {
				@Override
				public Connection getConnection() throws SQLException {
					return around(Connection.class, super.getConnection());
				}
			};
		}
		return bean;
	}

	private <T> T around(Class<T> type, T target) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> {
				boolean counts = isStep(method, args);
				if (counts && this.before) {
					count();
				}
				try {
					Object answer = method.invoke(target, args);
					boolean empty = answer instanceof List<?> list && list.isEmpty();
					if (counts && !this.before && !empty) {
						count();
					}
					return answer;
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

	private void count() {
		if (this.left.decrementAndGet() == 0) {
			this.journal.get().write("HALT");
			Runtime.getRuntime().halt(STATUS);
		}
	}

	private boolean isStep(Method method, Object[] args) {
		if (this.step.equals("release")) {
			return this.closing && method.getName().equals("settle") && args[1] instanceof List<?> batch
					&& batch.stream().anyMatch(Halt::isRelease);
		}
		return method.getName().equals(this.step);
	}

	private static boolean isRelease(Object settlement) {
		return settlement instanceof Settlement.Requeued back && !back.charged() && back.delay() == null;
	}

}
