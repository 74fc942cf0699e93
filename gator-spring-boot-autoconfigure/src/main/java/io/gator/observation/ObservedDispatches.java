package io.gator.observation;

import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

import io.gator.dispatch.DispatchObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Observes dispatches. A bulk is one observation, and all its rows carry the same
 * headers.
 */
public final class ObservedDispatches implements DispatchObserver {

	private static final Observed UNOBSERVED = new Carried(Map.of());

	private final ObservationRegistry registry;

	private final DispatchObservationConvention convention;

	private final BooleanSupplier active;

	/**
	 * Create an observer.
	 * @param registry where observations go
	 * @param convention names and keys
	 * @param active whether to observe at all
	 */
	public ObservedDispatches(ObservationRegistry registry, DispatchObservationConvention convention,
			BooleanSupplier active) {
		this.registry = registry;
		this.convention = convention;
		this.active = active;
	}

	@Override
	public Observed begin(String name, String queue, int count) {
		if (!this.active.getAsBoolean()) {
			return UNOBSERVED;
		}
		DispatchObservationContext context = new DispatchObservationContext(name, queue, count);
		QuietObservation observation = QuietObservation.begin(this.registry,
				() -> Observation.createNotStarted(null, this.convention, () -> context, this.registry));
		return new Running(observation, Objects.requireNonNull(context.getCarrier()));
	}

	private record Running(QuietObservation observation, Map<String, String> headers) implements Observed {

		@Override
		public void end(@Nullable Throwable error) {
			this.observation.end(error);
		}

	}

}
