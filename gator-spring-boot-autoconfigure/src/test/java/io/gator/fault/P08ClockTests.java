package io.gator.fault;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.RetryWith;
import io.gator.store.GatorStores;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * P8: only the database's clock counts. Here it is three hours behind that of the
 * application, or is put back, and everything happens at its time all the same.
 */
@FreshDatabase
class P08ClockTests {

	@Test
	void aDatabaseThreeHoursBehindIsRight(DatabaseHandle database) throws Exception {
		try (TestApplication application = TestApplication.start(database, List.of(Late.class, OtherClock.class))) {
			long inserted = System.nanoTime();
			database.jdbc().sql("""
					insert into gator_job (queue, name, args, created_at, next_execution_at)
					values ('default', 'Late', '[]', now() - interval '3 hours',
					        now() - interval '3 hours' + interval '1500 ms')
					""").update();
			Late late = application.bean(Late.class);
			long first = Objects.requireNonNull(late.starts.poll(30, TimeUnit.SECONDS));
			assertThat(first).isGreaterThan(inserted + 1_400_000_000L);
			assertThat(late.starts.poll(30, TimeUnit.SECONDS)).as("the retry").isGreaterThan(first + 900_000_000L);
			assertThat(database.jdbc()
				.sql("select count(*) from gator_worker where beat_at < now() - interval '2 hours'")
				.query(Integer.class)
				.single()).isOne();
			assertThat(late.starts.poll(Duration.ofMillis(300).toMillis(), TimeUnit.MILLISECONDS)).isNull();
		}
	}

	@Test
	void aPoolThatWasKilledBeforeTheClockWasPutBackIsRescuedInSeconds(DatabaseHandle database) throws Exception {
		try (TestApplication application = TestApplication.start(database, List.of(Late.class))) {
			database.jdbc().sql("""
					with killed as (
					    insert into gator_worker (pool, host, pid, heartbeat, lease, slots, locked, beat_at)
					    values ('default', 'gone', 1, '100 ms', '30 s', 10, true, now() + interval '1 hour')
					    returning id
					)
					insert into gator_job (queue, name, args, attempts, reserved_by, reserved_at)
					select 'default', 'Late', '[]', 1, id, now() + interval '1 hour' from killed
					""").update();
			assertThat(application.bean(Late.class).starts.poll(30, TimeUnit.SECONDS)).isNotNull();
		}
	}

	/** Fails once. */
	@Job
	@RetryWith(interval = "1s", maxRetries = 1)
	static class Late {

		final BlockingQueue<Long> starts = new LinkedBlockingQueue<>();

		void handle(JobContext job) {
			this.starts.add(System.nanoTime());
			if (job.attempt() == 1) {
				throw new IllegalStateException("again");
			}
		}

	}

	/** The engine's stores on a clock that is three hours behind. */
	@Configuration(proxyBeanMethods = false)
	static class OtherClock {

		@Bean
		static BeanPostProcessor clock() {
			return new BeanPostProcessor() {
				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					if (bean instanceof GatorStores stores) {
						return behind((DataSource) Internals.get(Internals.get(stores.jobs(), "db"), "dataSource"));
					}
					return bean;
				}
			};
		}

		private static GatorStores behind(DataSource engine) {
			try {
				Method open = GatorStores.class.getDeclaredMethod("open", DataSource.class, String.class,
						Duration.class, boolean.class, String.class, LongSupplier.class);
				open.setAccessible(true);
				return (GatorStores) open.invoke(null, engine, "public", Duration.ofSeconds(10), true,
						"(statement_timestamp() - interval '3 hours')", (LongSupplier) System::nanoTime);
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
