package io.gator.autoconfigure;

import java.util.concurrent.atomic.AtomicInteger;

import io.gator.JobOperations;
import io.gator.autoconfigure.Applications.Noted;
import io.gator.health.GatorHealthIndicator;
import io.gator.maintenance.HistoryPruner;
import io.gator.metrics.BoundedNames;
import io.gator.metrics.PoolMeters;
import io.gator.store.GatorStores;
import io.gator.store.InsightStore;
import io.gator.store.TableFacts;
import io.gator.store.UpkeepStore;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;

/**
 * What the parts are given by the auto-configuration, where nothing else shows it.
 */
@FreshDatabase
class WiringTests {

	private final DatabaseHandle database;

	private final ApplicationContextRunner runner;

	WiringTests(DatabaseHandle database) {
		this.database = database;
		this.runner = Applications.on(database);
	}

	@Test
	void poolsStopBeforeTheWebServerAndAfterWhatIsToStopFirst() {
		// WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE, which is not on this class
		// path.
		int webServer = SmartLifecycle.DEFAULT_PHASE - 1024;
		this.runner
			.run((context) -> assertThat(context.getBean(WorkerLifecycle.class).getPhase()).isGreaterThan(webServer)
				.isLessThan(SmartLifecycle.DEFAULT_PHASE));
	}

	@Test
	void theHealthIsLeftOutWhereItIsNotWanted() {
		ApplicationContextRunner healthy = this.runner
			.withConfiguration(AutoConfigurations.of(GatorHealthAutoConfiguration.class));
		healthy.run((context) -> assertThat(context).hasSingleBean(GatorHealthIndicator.class));
		healthy.withPropertyValues("management.health.gator.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(GatorHealthIndicator.class));
	}

	@Test
	void everyPoolHasMeters() {
		this.runner.withConfiguration(AutoConfigurations.of(GatorMetricsAutoConfiguration.class))
			.withBean(SimpleMeterRegistry.class)
			.withPropertyValues("gator.worker.pools.other.concurrency=1")
			.run((context) -> {
				SimpleMeterRegistry registry = context.getBean(SimpleMeterRegistry.class);
				context.getBean(PoolMeters.class).bindTo(registry);
				assertThat(registry.get("gator.worker.slots").gauges())
					.extracting((gauge) -> gauge.getId().getTag("pool"))
					.contains("default", "other");
			});
	}

	@Test
	void aQueueThatIsConfiguredHasMetersBeforeOneThatIsNot() {
		this.runner.withPropertyValues("gator.worker.pools.other.queues.slow=1", "gator.insight.max-queues=1")
			.run((context) -> {
				BoundedNames queues = context.getBean(BoundedNames.class);
				assertThat(queues.of("unheard of")).isEqualTo(BoundedNames.OTHER);
				assertThat(queues.of("slow")).isEqualTo("slow");
			});
	}

	@Test
	void aSnapshotOfTenMinutesPutsPruningOffAndAYoungerOneDoesNot() {
		this.runner.withPropertyValues("gator.worker.enabled=false").run((context) -> {
			GatorStores stores = mock(GatorStores.class);
			InsightStore insight = mock(InsightStore.class);
			UpkeepStore upkeep = mock(UpkeepStore.class);
			given(stores.insight()).willReturn(insight);
			given(stores.upkeep()).willReturn(upkeep);
			HistoryPruner pruner = new GatorWorkerAutoConfiguration().gatorHistoryPruner(stores,
					context.getBean(GatorProperties.class));
			given(insight.table()).willReturn(oldestSnapshot(600));
			pruner.runOnce();
			then(upkeep).should(never()).pruneHistory(any(), anyInt());
			given(insight.table()).willReturn(oldestSnapshot(599));
			pruner.runOnce();
			then(upkeep).should().pruneHistory(any(), anyInt());
		});
	}

	/**
	 * Nobody would commit what joined a transaction that is over, and only the
	 * transaction manager tells that it is.
	 */
	@Test
	void aDispatchFromACallbackBehindAnotherTransactionIsDurableAtOnce() {
		JobTable table = JobTable.empty(this.database);
		this.runner.withBean(Noted.class).withPropertyValues("gator.worker.enabled=false").run((context) -> {
			JobOperations jobs = context.getBean(JobOperations.class);
			PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
			TransactionTemplate another = new TransactionTemplate(manager);
			another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			AtomicInteger durable = new AtomicInteger();
			new TransactionTemplate(manager).executeWithoutResult((status) -> TransactionSynchronizationManager
				.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCompletion(int ended) {
						another.executeWithoutResult((inner) -> jobs.dispatch(Noted.class, "inside"));
						jobs.dispatch(Noted.class, "behind");
						durable.set(table.count("gator_job"));
					}

				}));
			assertThat(durable).hasValue(2);
		});
	}

	private static TableFacts oldestSnapshot(double seconds) {
		return new TableFacts(0, 0, 0, 0, 0, null, seconds, 0);
	}

}
