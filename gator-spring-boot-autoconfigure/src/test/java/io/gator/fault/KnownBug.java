package io.gator.fault;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import javax.sql.DataSource;

import io.gator.maintenance.Heartbeat;
import io.gator.store.DispatchStore;
import io.gator.store.GatorStores;
import io.gator.store.JobStore;
import io.gator.store.Settlement;
import io.gator.store.StoreException;
import io.gator.test.TestApplication;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.event.ContextClosedEvent;

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
				replace(stores, statement, "and j\\.lease = [^\\n]*", "");
			}
		}
	},

	/** A result is written if the job runs, whoever runs it. */
	SETTLING_BY_STATE {
		@Override
		void into(GatorStores stores) {
			for (String statement : new String[] { "succeed", "succeedWithoutHistory", "requeue", "bury" }) {
				replace(stores, statement, "and j\\.lease = [^\\n]*", "and j.reserved_by is not null");
			}
		}
	},

	/** An attempt is charged when it fails, so one that ends its process is free. */
	CHARGING_AT_FAILURE {
		@Override
		void into(GatorStores stores) {
			replace(stores, "claim", "attempts = attempts \\+ 1", "attempts = attempts");
		}
	},

	/** A pool found dead is robbed without a second look. */
	RESCUE_WITHOUT_RECHECK {
		@Override
		void into(GatorStores stores) {
			Object sql = Internals.get(stores.workers(), "sql");
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
			replace(stores, "claim", "<= statement_timestamp\\(\\)", "<= statement_timestamp() + interval '1 hour'");
		}
	},

	/**
	 * The rows to claim are a sub-select with a limit, which the planner may run again
	 * for each row that it compares with.
	 */
	CLAIM_IN_SELECT_LIMIT {
		@Override
		void into(GatorStores stores) {
			Object sql = Internals.get(stores.jobs(), "claims");
			String text = (String) Internals.get(sql, "claim");
			Internals.set(sql, "claim", """
					with q as materialized (
					    select *
					      from unnest(?::text[], ?::int[], ?::bigint[], ?::float8[]) as q(name, quota, after, due_after)
					), p as materialized (
					    select ?::text[] as names, ?::text[] as same, ?::int as most, ?::bigint as worker
					)
					update gator_job j
					   set lease = lease + 1,
					       attempts = attempts + 1,
					       reserved_by = (select worker from p),
					       reserved_at = statement_timestamp()
					 where j.id in (select c.id
					                  from gator_job c
					                 where c.queue = any(array(select name from q))
					                   and c.name = any((select names from p)::text[])
					                   and c.reserved_by is null
					                 order by c.id
					                 limit (select most from p)
					                   for update skip locked)
					""" + text.substring(text.indexOf("returning j.id")));
		}
	},

	/** A batch is written in the order in which its outcomes came. */
	UNORDERED_BATCHES {
		@Override
		void into(GatorStores stores) {
			JobStore target = stores.jobs();
			Object settled = Internals.get(target, "settled");
			Internals.set(stores, "jobs",
					Proxy.newProxyInstance(JobStore.class.getClassLoader(), new Class<?>[] { JobStore.class },
							(proxy, method, args) -> (args.length == 2 && args[0] == Settlement.Requeued.class)
									? Internals.call(settled, "requeue", args[1]) : method.invoke(target, args)));
		}
	},

	/** The beats of a process end first when it stops, whatever still runs. */
	BEATS_THAT_STOP_FIRST {
		@Override
		void into(TestApplication application) {
			application.context()
				.addApplicationListener((ContextClosedEvent closing) -> application.bean(Heartbeat.class).stop());
		}
	},

	/**
	 * An outcome is written by the thread that ran the handler, interrupted or not, and
	 * given up when that fails.
	 */
	SETTLING_ON_THE_THREAD_OF_THE_HANDLER {
		@Override
		void into(TestApplication application) {
			JobStore store = application.bean(GatorStores.class).jobs();
			eachPool(application, (run) -> {
				Object slots = Internals.get(run, "slots");
				Object settlements = Internals.get(slots, "settlements");
				Class<?> type = settlements.getClass().getInterfaces()[0];
				Internals.set(slots, "settlements", Proxy.newProxyInstance(type.getClassLoader(),
						new Class<?>[] { type }, (proxy, method, args) -> {
							if (method.getName().equals("settle")) {
								settle(store, (Settlement) args[1]);
							}
							return Internals.call(settlements, "settled", args[0], args[1]);
						}));
			});
		}

		private <S extends Settlement> void settle(JobStore store, S settlement) {
			@SuppressWarnings("unchecked")
			Class<S> kind = (Class<S>) settlement.getClass();
			try {
				store.settle(kind, List.of(settlement));
			}
			catch (StoreException ex) {
				// Nobody tries again.
			}
		}
	},

	/** Pools ask for work only when they are told that there is some. */
	NOTIFY_ALONE {
		@Override
		void into(TestApplication application) {
			eachPool(application, (run) -> Internals.set(Internals.get(Internals.get(run, "poller"), "agenda"),
					"pollNanos", TimeUnit.HOURS.toNanos(1)));
		}
	};

	/**
	 * Put the bug into an engine.
	 * @param stores its stores
	 */
	void into(GatorStores stores) {
		throw new UnsupportedOperationException(this + " is not a bug of the stores");
	}

	/**
	 * Put the bug into an application that runs.
	 * @param application the application
	 */
	void into(TestApplication application) {
		throw new UnsupportedOperationException(this + " has to be there when the application starts");
	}

	/**
	 * Whether no pool polls within the next minute.
	 * @param application the application
	 */
	static boolean pollsAreAway(TestApplication application) {
		AtomicBoolean away = new AtomicBoolean(true);
		eachPool(application, (run) -> {
			long next = (long) Internals.get(Internals.get(Internals.get(run, "poller"), "agenda"), "nextPoll");
			away.compareAndSet(true, next - System.nanoTime() > TimeUnit.MINUTES.toNanos(1));
		});
		return away.get();
	}

	private static void eachPool(TestApplication application, Consumer<Object> bug) {
		Object pools = application.context().getBean("gatorWorkerPools");
		for (Object pool : (List<?>) Internals.get(pools, "all")) {
			bug.accept(Internals.get(pool, "run"));
		}
	}

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

	private static void replace(GatorStores stores, String statement, String pattern, String to) {
		Object sql = statement.equals("claim") ? Internals.get(stores.jobs(), "claims")
				: Internals.get(Internals.get(stores.jobs(), "settled"), "sql");
		String text = (String) Internals.get(sql, statement);
		String broken = text.replaceAll(pattern, to);
		if (broken.equals(text)) {
			throw new IllegalStateException("Nothing to break in " + statement);
		}
		Internals.set(sql, statement, broken);
	}

}
