package io.gator.autoconfigure;

import io.gator.startup.HarmfulSettingsException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Shows settings that do harm, where the application asked not to start with them.
 */
class HarmfulSettingsFailureAnalyzer extends AbstractFailureAnalyzer<HarmfulSettingsException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, HarmfulSettingsException cause) {
		return new FailureAnalysis(
				"Gator found settings that do harm:\n\n  - " + String.join("\n  - ", cause.findings()),
				"Change them as described, or set gator.startup-checks to warn.", cause);
	}

}
