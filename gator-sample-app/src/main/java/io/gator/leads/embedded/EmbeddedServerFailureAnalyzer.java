package io.gator.leads.embedded;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Says what to do when a server within this process did not start.
 */
class EmbeddedServerFailureAnalyzer extends AbstractFailureAnalyzer<EmbeddedServerException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, EmbeddedServerException cause) {
		return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.remedy(), cause);
	}

}
