package io.gator.startup;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.gator.worker.PoolSettings;

/**
 * A pool that has not ended when Spring stops waiting is cut off, and its last outcomes
 * are lost. A time-out that is longer than Spring's is refused before this check; the
 * check warns of one that leaves too little time for interrupts and the last outcomes.
 */
final class ShutdownCheck implements StartupCheck {

	@Override
	public List<String> check(StartupFacts facts) {
		List<String> found = new ArrayList<>();
		for (PoolSettings pool : facts.pools()) {
			Duration needed = pool.stopTime();
			if (needed.compareTo(facts.springShutdown()) > 0) {
				found.add("Pool '" + pool.name() + "' may take " + needed.toSeconds()
						+ " s to end (a shutdown-timeout of " + pool.shutdownTimeout().toSeconds() + " s, and "
						+ needed.minus(pool.shutdownTimeout()).toSeconds()
						+ " s for what comes after it), and Spring waits for " + facts.springShutdown().toSeconds()
						+ " s. Raise spring.lifecycle.timeout-per-shutdown-phase or lower the pool's "
						+ "shutdown-timeout.");
			}
		}
		return found;
	}

}
