package io.gator.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Name and keys of the observation of an attempt. A bean of this type replaces the
 * {@linkplain DefaultExecuteObservationConvention default}.
 */
public interface ExecuteObservationConvention extends ObservationConvention<ExecuteObservationContext> {

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof ExecuteObservationContext;
	}

}
