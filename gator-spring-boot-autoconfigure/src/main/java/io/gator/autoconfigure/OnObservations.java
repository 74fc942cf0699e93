package io.gator.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;

/**
 * Matches where observations are not switched off.
 */
class OnObservations extends NoneNestedConditions {

	OnObservations() {
		super(ConfigurationPhase.REGISTER_BEAN);
	}

	@ConditionalOnProperty(name = "gator.observations", havingValue = "never")
	static class Never {

	}

}
