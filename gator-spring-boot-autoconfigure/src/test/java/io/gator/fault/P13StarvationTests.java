package io.gator.fault;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.store.GatorStores;
import io.gator.test.DatabaseHandle;
import io.gator.test.TestApplication;
import io.gator.test.TestDatabase;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * P13: handlers cannot starve the engine.
 */
class P13StarvationTests {

	@Test
	void handlersThatHoldAllConnectionsOfTheApplicationDoNotStopTheOthers() {
		handlersHoldAllConnections(10_000, List.of(Holder.class, Other.class, Gate.class));
	}

	@Test
	void anEngineOnTheConnectionsOfTheHandlersWouldBeSeen() {
		assertThatThrownBy(() -> handlersHoldAllConnections(1_000,
				List.of(Holder.class, Other.class, Gate.class, SharedConnections.class)))
			.isInstanceOfAny(ConditionTimeoutException.class, AssertionError.class);
	}

	private static void handlersHoldAllConnections(int connectionTimeout, List<Class<?>> beans) {
		try (DatabaseHandle database = TestDatabase.create();
				TestApplication application = TestApplication.start(database, beans,
						"spring.datasource.hikari.maximum-pool-size=2",
						"spring.datasource.hikari.connection-timeout=" + connectionTimeout,
						"gator.worker.concurrency=4", "gator.worker.heartbeat=200ms", "gator.worker.lease=10s",
						"gator.worker.shutdown-timeout=0s")) {
			Gate gate = application.bean(Gate.class);
			try {
				database.jdbc()
					.sql("insert into gator_job (queue, name, args) select 'default', 'Holder', '[]' from generate_series(1, 2)")
					.update();
				await().until(() -> gate.holding.getCount() == 0);
				database.jdbc()
					.sql("insert into gator_job (queue, name, args) select 'default', 'Other', '[]' from generate_series(1, 20)")
					.update();
				await().atMost(Duration.ofSeconds(8))
					.until(() -> database.jdbc()
						.sql("select count(*) from gator_job_history where name = 'Other'")
						.query(Integer.class)
						.single() == 20);
				await("beats go through as well").atMost(Duration.ofSeconds(8)).until(() -> database.jdbc().sql("""
						select count(*) from gator_job j join gator_worker w on w.id = j.reserved_by
						 where j.name = 'Holder' and w.beat_at > j.reserved_at + interval '1 second'
						""").query(Integer.class).single() == 2);
				assertThat(database.jdbc()
					.sql("select count(*) from gator_job where name = 'Holder' and attempts = 1 and reserved_by is not null")
					.query(Integer.class)
					.single()).as("handlers that were not disturbed").isEqualTo(2);
			}
			finally {
				gate.open.countDown();
			}
		}
	}

	/** Holds the handlers. */
	static class Gate {

		final CountDownLatch holding = new CountDownLatch(2);

		final CountDownLatch open = new CountDownLatch(1);

	}

	/** Holds a connection. */
	@Job
	static class Holder {

		private final DataSource dataSource;

		private final Gate gate;

		Holder(DataSource dataSource, Gate gate) {
			this.dataSource = dataSource;
			this.gate = gate;
		}

		void handle() throws Exception {
			try (Connection connection = this.dataSource.getConnection()) {
				connection.setAutoCommit(true);
				this.gate.holding.countDown();
				this.gate.open.await(30, TimeUnit.SECONDS);
			}
		}

	}

	/** Needs nothing. */
	@Job
	static class Other {

		void handle() {
		}

	}

	/** The bug: no connections of the engine's own. */
	@Configuration(proxyBeanMethods = false)
	static class SharedConnections {

		@Bean
		static org.springframework.beans.factory.config.BeanPostProcessor shared(
				org.springframework.beans.factory.ObjectProvider<DataSource> application) {
			return new org.springframework.beans.factory.config.BeanPostProcessor() {
				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					if (bean instanceof GatorStores stores) {
						Internals.set(Internals.get(stores.jobs(), "db"), "dataSource", application.getObject());
						Internals.set(Internals.get(stores.workers(), "db"), "dataSource", application.getObject());
					}
					return bean;
				}
			};
		}

	}

}
