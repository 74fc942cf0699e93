package io.gator.autoconfigure;

import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;

/**
 * Matches where somebody can read figures.
 */
class OnMetersOrEndpoint extends AnyNestedCondition {

	OnMetersOrEndpoint() {
		super(ConfigurationPhase.REGISTER_BEAN);
	}

	@ConditionalOnClass(name = "io.micrometer.core.instrument.MeterRegistry")
	static class Meters {

	}

	@ConditionalOnClass(name = "org.springframework.boot.actuate.endpoint.annotation.Endpoint")
	static class Endpoint {

	}

}
