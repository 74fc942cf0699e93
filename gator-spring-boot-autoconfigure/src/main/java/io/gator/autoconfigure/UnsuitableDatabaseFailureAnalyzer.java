package io.gator.autoconfigure;

import io.gator.store.UnsuitableDatabaseException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Shows a database, or a data source, that Gator cannot work with.
 */
class UnsuitableDatabaseFailureAnalyzer extends AbstractFailureAnalyzer<UnsuitableDatabaseException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnsuitableDatabaseException cause) {
		return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
	}

}
