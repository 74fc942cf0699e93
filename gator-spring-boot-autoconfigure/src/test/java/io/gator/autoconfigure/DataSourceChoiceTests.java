package io.gator.autoconfigure;

import javax.sql.DataSource;

import io.gator.JobAdmin;
import io.gator.JobState;
import io.gator.JobTemplate;
import io.gator.routing.InvalidJobException;
import io.gator.store.GatorStores;
import io.gator.store.UnsuitableDatabaseException;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.RoutingDataSource;
import io.gator.test.SilentDataSource;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Which data source Gator takes, and what it says where there is none that it can take.
 */
@FreshDatabase
class DataSourceChoiceTests {

	private final DatabaseHandle database;

	private final ApplicationContextRunner runner;

	DataSourceChoiceTests(DatabaseHandle database) {
		this.database = database;
		this.runner = Applications.on(database);
	}

	@Test
	void nothingIsThereWithoutADataSource() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(GatorAutoConfiguration.class, GatorWorkerAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(GatorStores.class)
				.doesNotHaveBean(WorkerLifecycle.class));
	}

	@Test
	void jobsAreRefusedWithoutADataSource() {
		ApplicationContextRunner without = new ApplicationContextRunner().withConfiguration(
				AutoConfigurations.of(GatorAutoConfiguration.class, GatorDataSourceAutoConfiguration.class));
		without.run((context) -> assertThat(context).hasNotFailed());
		without.withBean("noted", Applications.Noted.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidJobException.class)
				.hasMessageContaining("The job 'noted' cannot run: Gator has found no data source"));
		without.withBean("noted", Applications.Noted.class)
			.withPropertyValues("gator.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aDataSourceThatIsDeclaredTooLateIsNotFound() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(GatorAutoConfiguration.class,
					GatorDataSourceAutoConfiguration.class, LateDataSource.class))
			.withBean("noted", Applications.Noted.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidJobException.class)
				.hasMessageContaining("Gator has found no data source"));
	}

	@Test
	void nothingIsThereWithTwoDataSourcesOfWhichNoneIsPrimary() {
		ambiguous().run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(GatorStores.class));
	}

	@Test
	void jobsAreRefusedWithTwoDataSourcesOfWhichNoneIsPrimary() {
		ambiguous().withBean("noted", Applications.Noted.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidJobException.class)
				.hasMessageContaining("The job 'noted' cannot run")
				.hasMessageContaining("(one, two)"));
		ambiguous().withBean("noted", Applications.Noted.class)
			.withPropertyValues("gator.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withConfiguration(AutoConfigurations.of(GatorDataSourceAutoConfiguration.class))
			.withBean("noted", Applications.Noted.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(GatorStores.class));
	}

	private ApplicationContextRunner ambiguous() {
		return this.runner.withConfiguration(AutoConfigurations.of(GatorDataSourceAutoConfiguration.class))
			.withUserConfiguration(TwoDataSources.class);
	}

	@Test
	void whoDispatchesWhereGatorIsNotThereIsToldWhy() {
		ambiguous().withBean(Applications.SignUps.class)
			.run((context) -> assertThat(new GatorIsOffFailureAnalyzer().analyze(context.getStartupFailure()))
				.isNotNull()
				.satisfies((analysis) -> {
					assertThat(analysis.getDescription()).contains("needs a JobOperations", "Gator is not there");
					assertThat(analysis.getAction()).contains("@Primary", "gator.enabled", "@DataJpaTest");
				}));
	}

	@Test
	void nothingIsThereWithoutTheDriver() {
		this.runner.withClassLoader(new FilteredClassLoader(org.postgresql.Driver.class))
			.withPropertyValues("spring.datasource.type=org.springframework.jdbc.datasource.SimpleDriverDataSource",
					"spring.datasource.driver-class-name=java.sql.Driver")
			.withUserConfiguration(AnyDataSource.class)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(GatorStores.class));
	}

	@Test
	void tablesThatAreMissingAreNamedWhereGatorMayNotMakeThem() {
		this.runner.withPropertyValues("gator.migrate=false", "gator.schema=nowhere").run((context) -> {
			assertThat(new UnsuitableDatabaseFailureAnalyzer().analyze(context.getStartupFailure())).isNotNull()
				.satisfies((analysis) -> {
					assertThat(analysis.getDescription()).contains("'nowhere'").contains("gator_job");
					assertThat(analysis.getAction()).contains("classpath:io/gator/migration")
						.contains("gator.migrate=true");
				});
			assertThat(context).getFailure().rootCause().isInstanceOf(UnsuitableDatabaseException.class);
		});
	}

	@Test
	void aDataSourceThatLeadsToSeveralDatabasesIsRefusedWithARemedy() {
		this.runner.withBean(DataSource.class, this::routing).run((context) -> {
			assertThat(new UnsuitableDatabaseFailureAnalyzer().analyze(context.getStartupFailure())).isNotNull()
				.satisfies((analysis) -> {
					assertThat(analysis.getDescription())
						.contains("the data source " + RoutingDataSource.class.getName());
					assertThat(analysis.getAction()).contains("@Primary").contains("gator.enabled=false");
				});
		});
	}

	@Test
	void aPoolThatDoesNotTellItsPasswordIsTakenWhereBootHasCreatedIt() {
		this.runner.withUserConfiguration(Applications.Noted.class)
			.withPropertyValues("spring.datasource.type=" + SilentDataSource.class.getName())
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(DataSource.class)).isInstanceOf(SilentDataSource.class);
				long id = context.getBean(JobTemplate.class).dispatch(Applications.Noted.class, "x");
				JobAdmin admin = context.getBean(JobAdmin.class);
				await().until(() -> admin.find(id).orElseThrow().state() == JobState.SUCCEEDED);
			});
	}

	@Test
	void aPoolThatDoesNotTellItsPasswordIsRefusedWithARemedyWhereBootHasNotCreatedIt() {
		this.runner.withBean(DataSource.class, () -> SilentDataSource.of(this.database)).run((context) -> {
			assertThat(new UnsuitableDatabaseFailureAnalyzer().analyze(context.getStartupFailure())).isNotNull()
				.satisfies((analysis) -> {
					assertThat(analysis.getDescription())
						.contains("the data source " + SilentDataSource.class.getName());
					assertThat(analysis.getAction()).contains("spring.datasource.*", "JdbcConnectionDetails");
				});
		});
	}

	private DataSource routing() {
		return new LazyConnectionDataSourceProxy(new RoutingDataSource(this.database.hikari(1)));
	}

	@AutoConfiguration(after = GatorDataSourceAutoConfiguration.class)
	static class LateDataSource {

		@Bean
		DataSource late() {
			return new SilentDataSource();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoDataSources {

		@Bean
		DataSource one() {
			return new org.postgresql.ds.PGSimpleDataSource();
		}

		@Bean
		DataSource two() {
			return new org.postgresql.ds.PGSimpleDataSource();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AnyDataSource {

		@Bean
		DataSource dataSource() {
			return org.mockito.Mockito.mock(DataSource.class);
		}

	}

}
