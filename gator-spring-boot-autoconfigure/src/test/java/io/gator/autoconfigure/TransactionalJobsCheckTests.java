package io.gator.autoconfigure;

import javax.sql.DataSource;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Transactional jobs need the transaction manager of the data source that Gator takes.
 */
@FreshDatabase
class TransactionalJobsCheckTests {

	private final DatabaseHandle database;

	private final ApplicationContextRunner runner;

	TransactionalJobsCheckTests(DatabaseHandle database) {
		this.database = database;
		this.runner = Applications.on(database);
	}

	@Test
	void aTransactionalJobWithoutATransactionManagerIsRefused() {
		this.runner.withUserConfiguration(Applications.Booked.class)
			.run((context) -> assertThat(context).hasNotFailed());
		Applications.withoutTransactions(this.database)
			.withUserConfiguration(Applications.Booked.class)
			.run((context) -> assertRefused(context.getStartupFailure()));
	}

	@Test
	void aTransactionalJobIsRefusedWhereTheOnlyManagerIsThatOfAnotherDatabase() {
		this.runner.withUserConfiguration(Applications.Booked.class, ManagerOfAnother.class)
			.run((context) -> assertRefused(context.getStartupFailure()));
	}

	@Test
	void aTransactionalJobTakesTheManagerOfItsDataSourceAmongSeveral() {
		this.runner.withUserConfiguration(Applications.Booked.class, ManagerOfAnother.class, ManagerOfThis.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private static void assertRefused(Throwable failure) {
		assertThat(new InvalidJobFailureAnalyzer().analyze(failure)).isNotNull().satisfies((analysis) -> {
			assertThat(analysis.getDescription()).contains("Booked").contains("transactional");
			assertThat(analysis.getAction()).contains("PlatformTransactionManager").contains("@Primary");
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class ManagerOfAnother {

		@Bean
		PlatformTransactionManager another() {
			return new JdbcTransactionManager(new org.postgresql.ds.PGSimpleDataSource());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ManagerOfThis {

		@Bean
		PlatformTransactionManager own(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

}
