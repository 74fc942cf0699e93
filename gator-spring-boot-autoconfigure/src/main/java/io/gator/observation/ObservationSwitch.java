package io.gator.observation;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * Tells whether there is a handler of observations that does more than make meters of
 * them. Gator has its own meters, and an observation costs more than many a job. Looks
 * once, at the first job for which the registry has any handler.
 */
public final class ObservationSwitch implements BooleanSupplier {

	private static final String METER_HANDLER = "io.micrometer.core.instrument.observation.MeterObservationHandler";

	private final ObservationRegistry registry;

	private final Supplier<? extends Stream<? extends ObservationHandler<?>>> handlers;

	private volatile @Nullable Boolean on;

	/**
	 * Create a switch.
	 * @param registry where observations go
	 * @param handlers the handlers of observations
	 */
	public ObservationSwitch(ObservationRegistry registry,
			Supplier<? extends Stream<? extends ObservationHandler<?>>> handlers) {
		this.registry = registry;
		this.handlers = handlers;
	}

	@Override
	public boolean getAsBoolean() {
		Boolean known = this.on;
		if (known == null) {
			if (this.registry.isNoop()) {
				// Not remembered: the application may add handlers of its own later.
				return false;
			}
			known = look();
			this.on = known;
		}
		return known;
	}

	private boolean look() {
		// A registry of another class, such as those of tests, is there for a purpose.
		boolean plain = this.registry.getClass() == ObservationRegistry.create().getClass();
		List<? extends ObservationHandler<?>> beans = this.handlers.get().toList();
		// It has handlers. Those that are no beans were added by the application.
		return !plain || beans.isEmpty() || beans.stream().anyMatch((handler) -> !makesMeters(handler));
	}

	private static boolean makesMeters(ObservationHandler<?> handler) {
		for (Class<?> type : ClassUtils.getAllInterfacesForClassAsSet(handler.getClass())) {
			if (type.getName().equals(METER_HANDLER)) {
				return true;
			}
		}
		return false;
	}

}
