package io.gator.autoconfigure;

import io.gator.actuate.GatorEndpoint;
import io.gator.dispatch.DispatchObserver;
import io.gator.insight.Insight;
import io.gator.metrics.EngineMeters;
import io.gator.metrics.HistoryMeters;
import io.gator.metrics.PoolMeters;
import io.gator.observation.MdcPropagation;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.worker.AttemptObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which parts there are, beside what dispatches and works, where all auto-configurations
 * are found.
 */
@FreshDatabase
class OptionalPartsTests {

	private final ApplicationContextRunner runner;

	OptionalPartsTests(DatabaseHandle database) {
		this.runner = Applications.on(database).withConfiguration(AutoConfigurations.of(all()));
	}

	private static Class<?>[] all() {
		return Applications.autoConfigurations()
			.stream()
			.map((name) -> ClassUtils.resolveClassName(name, OptionalPartsTests.class.getClassLoader()))
			.toArray(Class<?>[]::new);
	}

	private ApplicationContextRunner observed() {
		return this.runner.withBean(SimpleMeterRegistry.class)
			.withBean(ObservationRegistry.class, ObservationRegistry::create)
			.withPropertyValues("gator.mdc-keys=tenant", "management.endpoints.web.exposure.include=gator");
	}

	@Test
	void allPartsAreThereWhereAllThatTheyNeedIs() {
		observed().run((context) -> assertThat(context).hasNotFailed()
			.hasSingleBean(GatorEndpoint.class)
			.hasSingleBean(Insight.class)
			.hasSingleBean(EngineMeters.class)
			.hasSingleBean(PoolMeters.class)
			.hasSingleBean(HistoryMeters.class)
			.hasSingleBean(MdcPropagation.class)
			.hasBean("gatorObservedDispatches")
			.hasBean("gatorObservedAttempts")
			.hasBean("gatorHealthIndicator")
			.hasBean("gatorStartupInspection"));
	}

	@Test
	void noPartIsLeftWhereGatorIsNotEnabled() {
		observed().withPropertyValues("gator.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed();
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			assertThat(beans.getBeanDefinitionNames()).noneMatch((name) -> {
				Class<?> type = beans.getType(name);
				return type != null && type.getName().startsWith("io.gator.");
			});
		});
	}

	@Test
	void nothingIsMeasuredWhereNoRegistryIsThere() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(MeterRegistry.class)
			.doesNotHaveBean(EngineMeters.class)
			.doesNotHaveBean(PoolMeters.class)
			.doesNotHaveBean(DispatchObserver.class)
			.doesNotHaveBean(AttemptObserver.class));
	}

	@Test
	void nothingIsObservedWhereThatIsSwitchedOff() {
		this.runner.withBean(ObservationRegistry.class, ObservationRegistry::create)
			.withPropertyValues("gator.observations=never")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(DispatchObserver.class)
				.doesNotHaveBean(AttemptObserver.class));
	}

	@Test
	void aProcessThatOnlyDispatchesHasNoMetersOfPoolsAndOfTheHistory() {
		observed().withPropertyValues("gator.worker.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(EngineMeters.class)
				.doesNotHaveBean(PoolMeters.class)
				.doesNotHaveBean(HistoryMeters.class));
	}

	@Test
	void theEndpointIsThereOnlyWhereItIsExposed() {
		observed()
			.withPropertyValues("management.endpoints.web.exposure.exclude=gator",
					"management.endpoints.jmx.exposure.exclude=gator")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(GatorEndpoint.class));
	}

	@Test
	void nobodyCountsWhereNobodyCouldAsk() {
		this.runner.withClassLoader(new FilteredClassLoader(MeterRegistry.class, Endpoint.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Insight.class));
	}

}
