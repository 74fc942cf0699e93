package io.gator.autoconfigure;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.gator.GatorJsonCustomizer;
import io.gator.JobAdmin;
import io.gator.JobDispatchException;
import io.gator.JobListener;
import io.gator.JobOperations;
import io.gator.JobPools;
import io.gator.JobState;
import io.gator.JobTemplate;
import io.gator.QueueInfo;
import io.gator.maintenance.HistoryPruner;
import io.gator.routing.Routes;
import io.gator.startup.StartupInspection;
import io.gator.store.GatorStores;
import io.gator.store.Migration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.worker.NotificationListener;
import io.gator.worker.Notifier;
import io.gator.worker.WorkerPoolFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What is there by which property, and that it works with the value that is set.
 */
@FreshDatabase
class GatorAutoConfigurationTests {

	private final DatabaseHandle database;

	private final ApplicationContextRunner runner;

	GatorAutoConfigurationTests(DatabaseHandle database) {
		this.database = database;
		this.runner = Applications.on(database);
	}

	@Test
	void anApplicationWithoutAnyJobDispatchesAndServes() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(JobTemplate.class)
			.hasSingleBean(WorkerLifecycle.class));
	}

	@Test
	void whoeverDispatchesMayAskForTheInterface() {
		this.runner.withBean(Applications.SignUps.class)
			.run((context) -> assertThat(context.getBean(Applications.SignUps.class).jobs)
				.isSameAs(context.getBean(JobTemplate.class)));
	}

	@Test
	void whatTheApplicationDeclaresItselfTakesThePlaceOfGators() {
		JobOperations operations = Mockito.mock();
		this.runner.withBean("mine", JobTemplate.class, () -> new JobTemplate(operations))
			.withBean(JobAdmin.class, Mockito::mock)
			.withBean(JobPools.class, Mockito::mock)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(JobTemplate.class)
				.hasBean("mine")
				.hasSingleBean(JobAdmin.class)
				.hasSingleBean(JobPools.class));
	}

	@Test
	void theConnectionsOfTheEngineAreClosedWithTheApplication() {
		AtomicReference<DataSource> engine = new AtomicReference<>();
		this.runner.run((context) -> engine.set(context.getBean(GatorEngine.class).dataSource()));
		assertThatExceptionOfType(SQLException.class).isThrownBy(engine.get()::getConnection)
			.withMessageContaining("closed");
	}

	@Test
	void customizersAndListenersAreCalledInTheirOrder() {
		List<String> called = new ArrayList<>();
		this.runner.withUserConfiguration(Applications.Noted.class)
			.withBean(Late.class, called)
			.withBean(Early.class, called)
			.withPropertyValues("gator.worker.enabled=false")
			.run((context) -> {
				context.getBean(JobTemplate.class).dispatch(Applications.Noted.class, "x");
				assertThat(called).containsExactly("early customizes", "late customizes", "early hears", "late hears");
			});
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
		this.runner.withUserConfiguration(Applications.Noted.class).run((before) -> assertThat(before).hasNotFailed());
		this.database.jdbc()
			.sql("create trigger refuse before insert on gator_queue for each row execute function refuse()")
			.update();
		try {
			this.runner.withUserConfiguration(Applications.Noted.class)
				.withPropertyValues("gator.worker.queues.unregistered=1")
				.run((context) -> {
					assertThat(context).hasNotFailed();
					long id = context.getBean(JobTemplate.class)
						.to(Applications.Noted.class)
						.queue("unregistered")
						.dispatch("x");
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
		this.runner.withUserConfiguration(Applications.Noted.class)
			.withPropertyValues("gator.max-payload=1KB", "gator.worker.enabled=false")
			.run((context) -> {
				JobTemplate jobs = context.getBean(JobTemplate.class);
				jobs.dispatch(Applications.Noted.class, "x".repeat(1_000));
				assertThatExceptionOfType(JobDispatchException.class)
					.isThrownBy(() -> jobs.dispatch(Applications.Noted.class, "x".repeat(1_100)));
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
	void aJobIsGoneOnceItHasSucceededWhereNoHistoryIsKept() {
		this.runner.withUserConfiguration(Applications.Noted.class)
			.withPropertyValues("gator.history.retention=0")
			.run((context) -> {
				JobTable table = JobTable.empty(this.database);
				long id = context.getBean(JobTemplate.class).dispatch(Applications.Noted.class, "x");
				await().until(() -> table.count("gator_job where id = " + id) == 0);
				assertThat(context.getBean(JobAdmin.class).find(id)).isEmpty();
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
	void aShutdownTimeoutOverThatOfSpringIsRefusedWithBothNumbers() {
		this.runner.withPropertyValues("gator.worker.shutdown-timeout=31s").run((context) -> {
			assertThat(new InvalidPropertyFailureAnalyzer().analyze(context.getStartupFailure())).isNotNull()
				.satisfies((analysis) -> assertThat(analysis.getDescription())
					.startsWith("gator.worker.shutdown-timeout is PT31S")
					.contains("spring.lifecycle.timeout-per-shutdown-phase, which is PT30S"));
		});
		this.runner
			.withPropertyValues("gator.worker.shutdown-timeout=40s", "spring.lifecycle.timeout-per-shutdown-phase=40s")
			.run((context) -> assertThat(context).hasNotFailed());
		this.runner
			.withPropertyValues("gator.worker.shutdown-timeout=5s", "gator.worker.pools.a.shutdown-timeout=11s",
					"spring.lifecycle.timeout-per-shutdown-phase=10s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageStartingWith("gator.worker.pools.a.shutdown-timeout is PT11S"));
	}

	abstract static class Added implements GatorJsonCustomizer, JobListener {

		private final String name;

		private final List<String> called;

		Added(String name, List<String> called) {
			this.name = name;
			this.called = called;
		}

		@Override
		public void customize(JsonMapper.Builder builder) {
			this.called.add(this.name + " customizes");
		}

		@Override
		public void dispatched(long id, String name, String queue) {
			this.called.add(this.name + " hears");
		}

	}

	@Order(1)
	static class Early extends Added {

		Early(List<String> called) {
			super("early", called);
		}

	}

	@Order(2)
	static class Late extends Added {

		Late(List<String> called) {
			super("late", called);
		}

	}

}
