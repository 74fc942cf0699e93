package io.gator.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

import io.gator.routing.InvalidJobException;

/**
 * Shows a job that is declared in a way that cannot work.
 */
class InvalidJobFailureAnalyzer extends AbstractFailureAnalyzer<InvalidJobException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidJobException cause) {
		return new FailureAnalysis(cause.description(), cause.action(), cause);
	}

}
