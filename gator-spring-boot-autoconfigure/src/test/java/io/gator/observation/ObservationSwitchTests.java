package io.gator.observation;

import java.util.stream.Stream;

import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.ObservationTextPublisher;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ObservationSwitchTests {

	private final ObservationRegistry registry = ObservationRegistry.create();

	private ObservationSwitch of(ObservationHandler<?>... beans) {
		Stream.of(beans).forEach(this::add);
		return new ObservationSwitch(this.registry, () -> Stream.of(beans));
	}

	@SuppressWarnings("unchecked")
	private void add(ObservationHandler<?> handler) {
		this.registry.observationConfig().observationHandler((ObservationHandler<Observation.Context>) handler);
	}

	@Test
	void aHandlerThatTheApplicationAddsAfterTheFirstJobIsHeard() {
		ObservationSwitch observed = of();
		assertThat(observed.getAsBoolean()).isFalse();
		add(new ObservationTextPublisher());
		assertThat(observed.getAsBoolean()).isTrue();
	}

	@Test
	void metersAloneAreNotWorthAnObservation() {
		assertThat(of(new DefaultMeterObservationHandler(new SimpleMeterRegistry())).getAsBoolean()).isFalse();
	}

	@Test
	void aHandlerBesidesThatOfMetersIsWorthAnObservation() {
		assertThat(of(new DefaultMeterObservationHandler(new SimpleMeterRegistry()), new ObservationTextPublisher())
			.getAsBoolean()).isTrue();
	}

}
