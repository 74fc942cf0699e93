package io.gator.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Shows a property with a value that is not allowed. Before the analyzer of Spring Boot,
 * which would only say that {@code gator} cannot be bound.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class InvalidPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidPropertyException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidPropertyException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()),
				"Change %s. Allowed: %s".formatted(cause.property(), cause.allowed()), cause);
	}

}
