package io.gator.fault;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.gator.store.DispatchStore;
import io.gator.store.GatorStores;
import io.gator.store.JobStore;
import io.gator.store.Settlement;

import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Bugs that others have had, to be put into the engine one at a time: a check that does
 * not turn red then is worth nothing.
 */
enum KnownBug {

	/** A result is written whoever holds the job. */
	SETTLING_WITHOUT_THE_LEASE {
		@Override
		void into(GatorStores stores) {
			for (String statement : new String[] { "succeed", "succeedWithoutHistory", "requeue", "bury" }) {
				replace(stores, statement, "and j.lease = r.lease", "");
			}
		}
	},

	/** A result is written if the job runs, whoever runs it. */
	SETTLING_BY_STATE {
		@Override
		void into(GatorStores stores) {
			for (String statement : new String[] { "succeed", "succeedWithoutHistory", "requeue", "bury" }) {
				replace(stores, statement, "and j.lease = r.lease", "and j.reserved_by is not null");
			}
		}
	},

	/** An attempt is charged when it fails, so one that ends its process is free. */
	CHARGING_AT_FAILURE {
		@Override
		void into(GatorStores stores) {
			replace(stores, "claim", "attempts = attempts + 1", "attempts = attempts");
		}
	},

	/** A pool found dead is robbed without a second look. */
	RESCUE_WITHOUT_RECHECK {
		@Override
		void into(GatorStores stores) {
			Object sql = sql(stores.workers());
			String text = (String) Internals.get(sql, "rescue");
			Internals.set(sql, "rescue", text.replaceAll("and w\\.beat_at < [^\\n]*", ""));
		}
	},

	/** An error is written down as it is, whatever characters it holds. */
	UNSANITISED_ERRORS {
		@Override
		void into(GatorStores stores) {
			around(stores, "settle", (args) -> {
				if (args[1] instanceof List<?> batch && args[0] == Settlement.Died.class) {
					args[1] = batch.stream()
						.map(Settlement.Died.class::cast)
						.map((dead) -> new Settlement.Died(dead.id(), dead.lease(), dead.error() + "\0", dead.charged(),
								dead.next()))
						.toList();
				}
			});
		}
	},

	/** The poller ends when the database is away. */
	LOOP_THAT_ENDS {
		@Override
		void into(GatorStores stores) {
			JobStore target = stores.jobs();
			Internals.set(stores, "jobs", proxy(target, "claim", (args) -> {
			}, KnownBug::doNothingMore));
		}
	},

	/** A dispatch takes another connection than that of the transaction. */
	DISPATCH_ON_ANOTHER_CONNECTION {
		@Override
		void into(GatorStores stores) {
			DataSource engine = (DataSource) Internals.get(Internals.get(stores.jobs(), "db"), "dataSource");
			DispatchStore target = stores.dispatch();
			Internals.set(stores, "dispatch", Proxy.newProxyInstance(DispatchStore.class.getClassLoader(),
					new Class<?>[] { DispatchStore.class }, (proxy, method, args) -> {
						if (args.length < 3) {
							return method.invoke(target, args);
						}
						try (Connection other = engine.getConnection()) {
							return method.invoke(target, other, args[1], args[2]);
						}
					}));
		}
	},

	/** Due times are compared with the application's clock, which is ahead. */
	CLOCK_OF_THE_APPLICATION {
		@Override
		void into(GatorStores stores) {
			replace(stores, "claim", "<= statement_timestamp()", "<= statement_timestamp() + interval '1 hour'");
		}
	};

	/**
	 * Put the bug into an engine.
	 * @param stores its stores
	 */
	abstract void into(GatorStores stores);

	/**
	 * The bug as a bean of an application.
	 * @return a bean that puts it into the engine
	 */
	BeanPostProcessor asBean() {
		return new BeanPostProcessor() {
			@Override
			public Object postProcessAfterInitialization(Object bean, String name) {
				if (bean instanceof GatorStores stores) {
					into(stores);
				}
				return bean;
			}
		};
	}

	private static volatile boolean over;

	/**
	 * Let threads that have ended in a bug's way end for good: others count threads.
	 */
	static void testsAreOver() {
		over = true;
	}

	private static void doNothingMore() {
		while (!over) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
		}
	}

	private static void around(GatorStores stores, String method, Consumer<Object[]> before) {
		Internals.set(stores, "jobs", proxy(stores.jobs(), method, before, () -> {
		}));
	}

	private static Object proxy(JobStore target, String name, Consumer<Object[]> before, Runnable failed) {
		return Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
				(proxy, method, args) -> {
					if (method.getName().equals(name)) {
						before.accept(args);
					}
					try {
						return method.invoke(target, args);
					}
					catch (InvocationTargetException ex) {
						if (method.getName().equals(name)) {
							failed.run();
						}
						throw ex.getCause();
					}
				});
	}

	private static Object sql(Object store) {
		return Internals.get(store, "sql");
	}

	private static void replace(GatorStores stores, String statement, String from, String to) {
		Object sql = sql(stores.jobs());
		String text = (String) Internals.get(sql, statement);
		if (!text.contains(from)) {
			throw new IllegalStateException("Nothing to break in " + statement);
		}
		Internals.set(sql, statement, text.replace(from, to));
	}

}
