package io.gator.worker;

import java.util.List;

import io.gator.store.WorkerStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that nothing runs under an identity whose jobs others may take. Thread-safe.
 */
final class Fence {

	private static final Logger logger = LoggerFactory.getLogger(Fence.class);

	private final WorkerStore store;

	private final WorkerStore.Registration registration;

	private final Identities identities;

	private final InFlight inFlight;

	/**
	 * Create a fence.
	 * @param store knows whether the database refuses this process
	 * @param registration whose identities they are
	 * @param identities the identities that live
	 * @param inFlight what runs under them
	 */
	Fence(WorkerStore store, WorkerStore.Registration registration, Identities identities, InFlight inFlight) {
		this.store = store;
		this.registration = registration;
		this.identities = identities;
		this.inFlight = inFlight;
	}

	/**
	 * Give up identities whose lease is about to end: by then nothing may run under them.
	 * Asks no database, so that it works when there is none.
	 */
	void check(long now) {
		boolean refused = this.store.isRefused();
		for (Identity each : this.identities.all()) {
			if (refused) {
				each.serverIsThere();
			}
			if (now - each.lastBeat > each.patience(this.registration)) {
				// First, whatever the log does.
				giveUp(each);
				logger.warn("Pool {} cannot beat; it stops its jobs before its lease ends", this.registration.pool());
			}
		}
	}

	/**
	 * How often {@link #check} is to be called: so often that what it does comes in time,
	 * before the lease ends and before others count three beats.
	 * @param settings the pool
	 * @return nanoseconds
	 */
	static long pause(PoolSettings settings) {
		// A lease is three heartbeats at least.
		return settings.heartbeat().toNanos() / 10;
	}

	/**
	 * Stop what runs under an identity, which lives no more.
	 * @param identity the identity
	 */
	void giveUp(Identity identity) {
		this.identities.drop(identity);
		try {
			stopHeld(identity);
		}
		catch (Throwable ex) {
			// Out of memory, say. What was not stopped is with the next look, or, should
			// a beat come before that, goes on under an identity that ends with it.
			this.identities.keep(identity);
			identity.startSearch();
			throw ex;
		}
	}

	private void stopHeld(Identity identity) {
		List<Execution> held = this.inFlight.under(identity.id);
		// Those that wait come first: a slot whose handler is interrupted starts the
		// next.
		held.stream()
			.filter((execution) -> !execution.isRunning())
			.forEach((execution) -> execution.stop(Execution.Stop.FENCED));
		held.forEach((execution) -> execution.stop(Execution.Stop.FENCED));
	}

}
