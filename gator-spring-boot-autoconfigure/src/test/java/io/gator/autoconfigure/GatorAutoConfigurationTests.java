package io.gator.autoconfigure;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobDispatchException;
import io.gator.JobOperations;
import io.gator.JobState;
import io.gator.JobTemplate;
import io.gator.QueueInfo;
import io.gator.maintenance.HistoryPruner;
import io.gator.metrics.BoundedNames;
import io.gator.metrics.EngineMeters;
import io.gator.metrics.HistoryMeters;
import io.gator.metrics.InsightMeters;
import io.gator.metrics.PoolMeters;
import io.gator.routing.ArgsCodec;
import io.gator.routing.InvalidJobException;
import io.gator.routing.Routes;
import io.gator.startup.StartupInspection;
import io.gator.store.GatorStores;
import io.gator.store.Migration;
import io.gator.store.UnsuitableDatabaseException;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.RoutingDataSource;
import io.gator.test.SilentDataSource;
import io.gator.worker.NotificationListener;
import io.gator.worker.Notifier;
import io.gator.worker.WorkerPoolFactory;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Each way in which Gator backs off, or refuses to start.
 */
@FreshDatabase
class GatorAutoConfigurationTests {

	private final DatabaseHandle database;

	private final ApplicationContextRunner runner;

	GatorAutoConfigurationTests(DatabaseHandle database) {
		this.database = database;
		this.runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
					DataSourceTransactionManagerAutoConfiguration.class, GatorAutoConfiguration.class,
					GatorWorkerAutoConfiguration.class))
			.withPropertyValues(database.springProperties());
	}

	@Test
	void anApplicationWithoutAnyJobDispatchesAndServes() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(JobTemplate.class)
			.hasSingleBean(WorkerLifecycle.class));
	}

	@Test
	void whoeverDispatchesMayAskForTheInterface() {
		this.runner.withBean(SignUps.class)
			.run((context) -> assertThat(context.getBean(SignUps.class).jobs)
				.isSameAs(context.getBean(JobTemplate.class)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "off", "no", "0" })
	void nothingIsThereWhereGatorIsNotEnabled(String off) {
		this.runner.withPropertyValues("gator.enabled=" + off)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(DataSource.class)
				.doesNotHaveBean(Migration.class)
				.doesNotHaveBean(GatorStores.class)
				.doesNotHaveBean(JobTemplate.class)
				.doesNotHaveBean(WorkerLifecycle.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "true", "on", "yes", "1" })
	void allIsThereWhereGatorIsEnabled(String on) {
		this.runner.withPropertyValues("gator.enabled=" + on, "gator.worker.enabled=" + on)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(JobTemplate.class)
				.hasSingleBean(WorkerLifecycle.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "off", "no", "0" })
	void aProcessThatOnlyDispatchesHasNoPools(String off) {
		this.runner.withPropertyValues("gator.worker.enabled=" + off)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(JobTemplate.class)
				.hasSingleBean(Routes.class)
				.doesNotHaveBean(WorkerPoolFactory.class)
				.doesNotHaveBean(WorkerLifecycle.class));
	}

	@ParameterizedTest
	@CsvSource({ "gator.worker.enabled=false, 4", "gator.worker.enabled=true, 6",
			"gator.worker.pools.other.concurrency=1, 8" })
	void theEngineHasFourConnectionsAndTwoForEachPool(String property, int connections) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context.getBean(GatorEngine.class).dataSource().connections())
				.isEqualTo(connections));
	}

	@Test
	void theEngineWaitsForAnAnswerAsLongAsIsConfiguredAndFiveSecondsMore() {
		this.runner.withPropertyValues("gator.statement-timeout=7s", "gator.worker.enabled=false").run((context) -> {
			assertThat(context.getBean(GatorStores.class).jobs().statementTimeout()).isEqualTo(Duration.ofSeconds(7));
			try (Connection connection = context.getBean(GatorEngine.class).dataSource().getConnection()) {
				assertThat(connection.getNetworkTimeout()).isEqualTo(12_000);
			}
		});
	}

	@Test
	void anApplicationStartsThoughItsQueuesCannotBeRegisteredAndItsJobsRunAsSoonAsTheyAre() {
		this.database.jdbc().sql("""
				create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$
				""").update();
		this.runner.withUserConfiguration(Noted.class).run((before) -> assertThat(before).hasNotFailed());
		this.database.jdbc()
			.sql("create trigger refuse before insert on gator_queue for each row execute function refuse()")
			.update();
		try {
			this.runner.withUserConfiguration(Noted.class)
				.withPropertyValues("gator.worker.queues.unregistered=1")
				.run((context) -> {
					assertThat(context).hasNotFailed();
					long id = context.getBean(JobTemplate.class).to(Noted.class).queue("unregistered").dispatch("x");
					JobAdmin admin = context.getBean(JobAdmin.class);
					assertThat(admin.queues()).extracting(QueueInfo::name).doesNotContain("unregistered");
					this.database.jdbc().sql("drop trigger refuse on gator_queue").update();
					await().until(() -> admin.find(id).orElseThrow().state() == JobState.SUCCEEDED);
					assertThat(admin.queues()).extracting(QueueInfo::name).contains("unregistered");
				});
		}
		finally {
			this.database.jdbc().sql("drop function refuse cascade").update();
		}
	}

	@Test
	void argumentsAreAsLargeAsIsConfiguredAtMost() {
		this.runner.withUserConfiguration(Noted.class)
			.withPropertyValues("gator.max-payload=1KB", "gator.worker.enabled=false")
			.run((context) -> {
				JobTemplate jobs = context.getBean(JobTemplate.class);
				jobs.dispatch(Noted.class, "x".repeat(1_000));
				assertThatExceptionOfType(JobDispatchException.class)
					.isThrownBy(() -> jobs.dispatch(Noted.class, "x".repeat(1_100)));
			});
	}

	@Test
	void theHistoryIsKeptForAsLongAsIsConfigured() {
		this.runner.withPropertyValues("gator.history.retention=1h").run((context) -> {
			this.database.jdbc().sql("""
					insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
					select 900000 + i, 'default', 'Kept', 'SUCCEEDED', 1, 1, now(), now() - i * interval '40 minutes'
					  from generate_series(1, 3) i
					""").update();
			context.getBean(HistoryPruner.class).runOnce();
			assertThat(this.database.jdbc()
				.sql("select id from gator_job_history where name = 'Kept'")
				.query(Long.class)
				.list()).containsExactly(900_001L);
		});
	}

	@Test
	void allPoolsBeatAsOftenAsTheOneThatBeatsMostOften() {
		this.runner
			.withPropertyValues("gator.worker.heartbeat=2s", "gator.worker.pools.a.heartbeat=200ms",
					"gator.worker.pools.b.heartbeat=3s")
			.run((context) -> assertThat(context.getBean(WorkerPools.class).shortestHeartbeat())
				.isEqualTo(Duration.ofMillis(200)));
	}

	@Test
	void aStartIsRefusedBeforeAnyJobRuns() {
		this.runner.withConfiguration(AutoConfigurations.of(GatorStartupAutoConfiguration.class))
			.run((context) -> assertThat(context.getBean(StartupInspection.class).getPhase())
				.isLessThan(context.getBean(WorkerLifecycle.class).getPhase()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "notify", "NOTIFY", "notify " })
	void aProcessListensHoweverThatIsWritten(String wakeUp) {
		this.runner.withPropertyValues("gator.worker.wake-up=" + wakeUp)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(NotificationListener.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "poll", "Poll", "poll " })
	void aProcessThatPollsTellsOthersOfItsJobsAllTheSame(String wakeUp) {
		this.runner.withPropertyValues("gator.worker.wake-up=" + wakeUp)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(Notifier.class)
				.doesNotHaveBean(NotificationListener.class));
	}

	@Test
	void aContextBelowAnotherHasAGatorOfItsOwnForItsOwnJobs() {
		this.runner.run((parent) -> this.runner.withParent(parent).withUserConfiguration(Booked.class).run((child) -> {
			assertThat(child).hasNotFailed();
			for (Class<?> own : List.of(Migration.class, GatorEngine.class, ArgsCodec.class, JobAdmin.class)) {
				assertThat((Object) child.getBean(own)).isNotSameAs(parent.getBean(own));
			}
			JobTemplate jobs = child.getBean(JobTemplate.class);
			long id = jobs.dispatch(Booked.class);
			await().until(() -> child.getBean(JobAdmin.class).find(id).orElseThrow().state() == JobState.SUCCEEDED);
		}));
	}

	@Test
	void aContextBelowAnotherThatWantsNoGatorRunsNothingOfTheOther() {
		this.runner.run((parent) -> this.runner.withParent(parent)
			.withPropertyValues("gator.enabled=false")
			.withConfiguration(AutoConfigurations.of(GatorStartupAutoConfiguration.class))
			.run((child) -> {
				assertThat(child.getBeanFactory().getBeanNamesForType(WorkerPools.class)).isEmpty();
				assertThat(child.getBeanFactory().getBeanNamesForType(StartupInspection.class)).isEmpty();
			}));
	}

	@Test
	void aContextBelowAnotherThatOnlyPollsLeavesTheListenerOfTheOtherAlone() {
		this.runner.run((parent) -> {
			NotificationListener listener = parent.getBean(NotificationListener.class);
			await().until(listener::isListening);
			this.runner.withParent(parent)
				.withPropertyValues("gator.worker.wake-up=poll")
				.run((child) -> assertThat(child).hasNotFailed());
			assertThat(listener.isListening()).as("when the child is closed").isTrue();
		});
	}

	@Test
	void theMetersOfAContextCountForThoseBelowIt() {
		ApplicationContextRunner metered = this.runner.withConfiguration(
				AutoConfigurations.of(GatorInsightAutoConfiguration.class, GatorMetricsAutoConfiguration.class));
		metered.withBean(SimpleMeterRegistry.class)
			.run((parent) -> metered.withParent(parent).withUserConfiguration(Booked.class).run((child) -> {
				for (Class<?> meters : List.of(EngineMeters.class, PoolMeters.class, HistoryMeters.class,
						InsightMeters.class, BoundedNames.class)) {
					assertThat(parent.getBeanFactory().getBeanNamesForType(meters)).hasSize(1);
					assertThat(child.getBeanFactory().getBeanNamesForType(meters)).isEmpty();
				}
				child.getBean(JobTemplate.class).dispatch(Booked.class);
				assertThat(parent.getBean(SimpleMeterRegistry.class).get("gator.jobs.dispatched").counter().count())
					.isOne();
			}));
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
		without.withBean("noted", Noted.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidJobException.class)
				.hasMessageContaining("The job 'noted' cannot run: Gator has found no data source"));
		without.withBean("noted", Noted.class)
			.withPropertyValues("gator.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void nothingIsThereWithTwoDataSourcesOfWhichNoneIsPrimary() {
		ambiguous().run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(GatorStores.class));
	}

	@Test
	void jobsAreRefusedWithTwoDataSourcesOfWhichNoneIsPrimary() {
		ambiguous().withBean("noted", Noted.class)
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidJobException.class)
				.hasMessageContaining("The job 'noted' cannot run")
				.hasMessageContaining("(one, two)"));
		ambiguous().withBean("noted", Noted.class)
			.withPropertyValues("gator.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner.withConfiguration(AutoConfigurations.of(GatorDataSourceAutoConfiguration.class))
			.withBean("noted", Noted.class)
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(GatorStores.class));
	}

	private ApplicationContextRunner ambiguous() {
		return this.runner.withConfiguration(AutoConfigurations.of(GatorDataSourceAutoConfiguration.class))
			.withUserConfiguration(TwoDataSources.class);
	}

	@Test
	void whoDispatchesWhereGatorIsNotThereIsToldWhy() {
		ambiguous().withBean(SignUps.class)
			.run((context) -> assertThat(new GatorIsOffFailureAnalyzer().analyze(failureOf(context)))
				.satisfies((analysis) -> {
					assertThat(analysis.getDescription()).contains("needs a JobOperations", "Gator is not there");
					assertThat(analysis.getAction()).contains("@Primary", "gator.enabled", "@DataJpaTest");
				}));
		this.runner.withBean(Unrelated.class)
			.run((context) -> assertThat(new GatorIsOffFailureAnalyzer().analyze(failureOf(context))).isNull());
	}

	private static Throwable failureOf(AssertableApplicationContext context) {
		return Objects.requireNonNull(context.getStartupFailure());
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
	void aShutdownTimeoutOverThatOfSpringIsRefusedWithBothNumbers() {
		this.runner.withPropertyValues("gator.worker.shutdown-timeout=31s").run((context) -> {
			assertThat(new InvalidPropertyFailureAnalyzer().analyze(context.getStartupFailure())).isNotNull()
				.satisfies((analysis) -> assertThat(analysis.getDescription())
					.startsWith("gator.worker.shutdown-timeout is PT31S")
					.contains("spring.lifecycle.timeout-per-shutdown-phase, which is PT30S"));
		});
		this.runner
			.withPropertyValues("gator.worker.shutdown-timeout=31s", "spring.lifecycle.timeout-per-shutdown-phase=40s")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner
			.withPropertyValues("gator.worker.shutdown-timeout=5s", "gator.worker.pools.a.shutdown-timeout=11s",
					"spring.lifecycle.timeout-per-shutdown-phase=10s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageStartingWith("gator.worker.pools.a.shutdown-timeout is PT11S"));
	}

	@Test
	void aTransactionalJobWithoutATransactionManagerIsRefused() {
		this.runner.withUserConfiguration(Booked.class).run((context) -> assertThat(context).hasNotFailed());
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, GatorAutoConfiguration.class,
					GatorWorkerAutoConfiguration.class))
			.withPropertyValues(this.database.springProperties())
			.withUserConfiguration(Booked.class)
			.run((context) -> assertRefused(context.getStartupFailure()));
	}

	@Test
	void aTransactionalJobIsRefusedWhereTheOnlyManagerIsThatOfAnotherDatabase() {
		this.runner.withUserConfiguration(Booked.class, ManagerOfAnother.class)
			.run((context) -> assertRefused(context.getStartupFailure()));
	}

	@Test
	void aTransactionalJobTakesTheManagerOfItsDataSourceAmongSeveral() {
		this.runner.withUserConfiguration(Booked.class, ManagerOfAnother.class, ManagerOfThis.class)
			.run((context) -> assertThat(context).hasNotFailed());
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
		this.runner.withUserConfiguration(Noted.class)
			.withPropertyValues("spring.datasource.type=" + SilentDataSource.class.getName())
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(DataSource.class)).isInstanceOf(SilentDataSource.class);
				long id = context.getBean(JobTemplate.class).dispatch(Noted.class, "x");
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

	private static void assertRefused(Throwable failure) {
		assertThat(new InvalidJobFailureAnalyzer().analyze(failure)).isNotNull().satisfies((analysis) -> {
			assertThat(analysis.getDescription()).contains("Booked").contains("transactional");
			assertThat(analysis.getAction()).contains("PlatformTransactionManager").contains("@Primary");
		});
	}

	static class SignUps {

		private final JobOperations jobs;

		SignUps(JobOperations jobs) {
			this.jobs = jobs;
		}

	}

	static class Unrelated {

		Unrelated(StringBuilder missing) {
		}

	}

	@Job
	static class Noted {

		void handle(String text) {
		}

	}

	@Job(transactional = true)
	static class Booked {

		void handle() {
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
