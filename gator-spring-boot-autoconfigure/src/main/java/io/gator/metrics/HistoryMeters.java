package io.gator.metrics;

import io.gator.maintenance.HistoryPruner;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Shows whether the history is pruned.
 */
public final class HistoryMeters implements MeterBinder {

	private final HistoryPruner pruner;

	/**
	 * Create the meters.
	 * @param pruner prunes the history
	 */
	public HistoryMeters(HistoryPruner pruner) {
		this.pruner = pruner;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		FunctionCounter.builder("gator.history.deferred", this.pruner, HistoryPruner::deferred)
			.description("How many times this process did not prune the history because of an old snapshot or an error")
			.baseUnit("turns")
			.register(registry);
	}

}
