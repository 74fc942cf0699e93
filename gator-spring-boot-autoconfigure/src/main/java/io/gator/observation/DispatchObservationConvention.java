package io.gator.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Name and keys of the observation of a dispatch. A bean of this type replaces the
 * {@linkplain DefaultDispatchObservationConvention default}.
 */
public interface DispatchObservationConvention extends ObservationConvention<DispatchObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof DispatchObservationContext;
	}

}
