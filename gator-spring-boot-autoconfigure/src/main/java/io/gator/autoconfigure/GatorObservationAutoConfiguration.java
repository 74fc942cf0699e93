package io.gator.autoconfigure;

import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

import io.gator.dispatch.DispatchObserver;
import io.gator.metrics.BoundedNames;
import io.gator.observation.DefaultDispatchObservationConvention;
import io.gator.observation.DefaultExecuteObservationConvention;
import io.gator.observation.DispatchObservationConvention;
import io.gator.observation.ExecuteObservationConvention;
import io.gator.observation.ObservationSwitch;
import io.gator.observation.ObservedAttempts;
import io.gator.observation.ObservedDispatches;
import io.gator.routing.Routes;
import io.gator.store.GatorStores;
import io.gator.worker.AttemptObserver;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Observations of dispatches and attempts, where the application has a registry for them.
 */
@AutoConfiguration(after = GatorAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean({ GatorStores.class, ObservationRegistry.class })
@Conditional(OnSwitch.Observations.class)
public final class GatorObservationAutoConfiguration {

	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	DispatchObserver gatorObservedDispatches(ObservationRegistry registry,
			ObjectProvider<DispatchObservationConvention> convention, ObjectProvider<ObservationHandler<?>> handlers,
			Routes routes, BoundedNames queues, GatorProperties properties) {
		return new ObservedDispatches(registry,
				convention.getIfAvailable(() -> new DefaultDispatchObservationConvention(names(routes), queues::of)),
				active(registry, handlers, properties));
	}

	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	AttemptObserver gatorObservedAttempts(ObservationRegistry registry,
			ObjectProvider<ExecuteObservationConvention> convention, ObjectProvider<ObservationHandler<?>> handlers,
			Routes routes, BoundedNames queues, GatorProperties properties) {
		return new ObservedAttempts(registry,
				convention.getIfAvailable(() -> new DefaultExecuteObservationConvention(names(routes), queues::of)),
				active(registry, handlers, properties));
	}

	private static UnaryOperator<String> names(Routes routes) {
		return (name) -> Objects.requireNonNullElse(routes.nameOf(name), BoundedNames.OTHER);
	}

	private static BooleanSupplier active(ObservationRegistry registry, ObjectProvider<ObservationHandler<?>> handlers,
			GatorProperties properties) {
		if (properties.observations() == GatorProperties.Observations.ALWAYS) {
			return () -> !registry.isNoop();
		}
		return new ObservationSwitch(registry, handlers::stream);
	}

}
