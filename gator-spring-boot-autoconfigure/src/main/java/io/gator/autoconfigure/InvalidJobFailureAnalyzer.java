package io.gator.autoconfigure;

import io.gator.routing.InvalidJobException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Shows a job that is declared in a way that cannot work.
 */
class InvalidJobFailureAnalyzer extends AbstractFailureAnalyzer<InvalidJobException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidJobException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action(), cause);
	}

}
