package io.gator.autoconfigure;

import java.util.List;

import io.gator.JobAdmin;
import io.gator.JobState;
import io.gator.JobTemplate;
import io.gator.metrics.BoundedNames;
import io.gator.metrics.EngineMeters;
import io.gator.metrics.HistoryMeters;
import io.gator.metrics.InsightMeters;
import io.gator.metrics.PoolMeters;
import io.gator.routing.ArgsCodec;
import io.gator.startup.StartupInspection;
import io.gator.store.Migration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.worker.NotificationListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a context that has a parent with a Gator of its own shares with it.
 */
@FreshDatabase
class ChildContextTests {

	private final ApplicationContextRunner runner;

	ChildContextTests(DatabaseHandle database) {
		this.runner = Applications.on(database);
	}

	@Test
	void aContextBelowAnotherHasAGatorOfItsOwnForItsOwnJobs() {
		this.runner.run((parent) -> this.runner.withParent(parent)
			.withUserConfiguration(Applications.Booked.class)
			.run((child) -> {
				assertThat(child).hasNotFailed();
				for (Class<?> own : List.of(Migration.class, GatorEngine.class, ArgsCodec.class, JobAdmin.class)) {
					assertThat((Object) child.getBean(own)).isNotSameAs(parent.getBean(own));
				}
				JobTemplate jobs = child.getBean(JobTemplate.class);
				long id = jobs.dispatch(Applications.Booked.class);
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
			.run((parent) -> metered.withParent(parent)
				.withUserConfiguration(Applications.Booked.class)
				.run((child) -> {
					for (Class<?> meters : List.of(EngineMeters.class, PoolMeters.class, HistoryMeters.class,
							InsightMeters.class, BoundedNames.class)) {
						assertThat(parent.getBeanFactory().getBeanNamesForType(meters)).hasSize(1);
						assertThat(child.getBeanFactory().getBeanNamesForType(meters)).isEmpty();
					}
					child.getBean(JobTemplate.class).dispatch(Applications.Booked.class);
					assertThat(parent.getBean(SimpleMeterRegistry.class).get("gator.jobs.dispatched").counter().count())
						.isOne();
				}));
	}

}
