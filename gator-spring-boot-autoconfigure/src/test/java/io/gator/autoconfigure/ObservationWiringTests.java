package io.gator.autoconfigure;

import io.gator.JobTemplate;
import io.gator.observation.DispatchObservationConvention;
import io.gator.observation.ExecuteObservationConvention;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.awaitility.Awaitility.await;

/**
 * By which names dispatches and attempts are observed.
 */
@FreshDatabase
class ObservationWiringTests {

	private final TestObservationRegistry registry = TestObservationRegistry.create();

	private final ApplicationContextRunner runner;

	ObservationWiringTests(DatabaseHandle database) {
		this.runner = Applications.on(database)
			.withConfiguration(AutoConfigurations.of(GatorObservationAutoConfiguration.class))
			.withUserConfiguration(Applications.Noted.class)
			.withBean(ObservationRegistry.class, () -> this.registry)
			.withPropertyValues("gator.observations=always", "gator.insight.max-queues=1",
					"gator.worker.queues.named=1", "gator.worker.queues.*=1");
	}

	@Test
	void namesAndQueuesThatAreTooManyAreObservedAsOther() {
		this.runner.run((context) -> {
			JobTemplate jobs = context.getBean(JobTemplate.class);
			jobs.to("Elsewhere").queue("named").dispatch();
			awaitObservation("gator.job.dispatch", "other", "named");
			jobs.to(Applications.Noted.class).queue("another").dispatch("x");
			awaitObservation("gator.job.dispatch", "Noted", "other");
			awaitObservation("gator.job.execute", "Noted", "other");
		});
	}

	@Test
	void conventionsOfTheApplicationsOwnTakeThePlaceOfGators() {
		this.runner.withBean(DispatchObservationConvention.class, OwnDispatches::new)
			.withBean(ExecuteObservationConvention.class, OwnAttempts::new)
			.run((context) -> {
				context.getBean(JobTemplate.class).dispatch(Applications.Noted.class, "x");
				awaitEnd("own.dispatch");
				awaitEnd("own.attempt");
			});
	}

	private void awaitEnd(String name) {
		await().untilAsserted(() -> TestObservationRegistryAssert.assertThat(this.registry)
			.hasObservationWithNameEqualTo(name)
			.that()
			.hasBeenStopped());
	}

	private void awaitObservation(String name, String job, String queue) {
		await().untilAsserted(() -> TestObservationRegistryAssert.assertThat(this.registry)
			.hasAnObservation((observation) -> observation.hasNameEqualTo(name)
				.hasLowCardinalityKeyValue("gator.job.name", job)
				.hasLowCardinalityKeyValue("gator.job.queue", queue)));
	}

	static class OwnDispatches implements DispatchObservationConvention {

		@Override
		public String getName() {
			return "own.dispatch";
		}

	}

	static class OwnAttempts implements ExecuteObservationConvention {

		@Override
		public String getName() {
			return "own.attempt";
		}

	}

}
