package io.gator.autoconfigure;

import java.util.Collection;

import io.gator.worker.Notifier;
import io.gator.worker.WorkerPool;

import org.springframework.beans.factory.ObjectProvider;

/**
 * Tells whoever can run jobs that there is something to do: the pools of this process at
 * once, those of others by a notification. Looks them up late, because handlers dispatch
 * too, and pools need the handlers.
 */
final class WakeUps {

	private final ObjectProvider<WorkerPools> pools;

	private final ObjectProvider<Notifier> notifier;

	WakeUps(ObjectProvider<WorkerPools> pools, ObjectProvider<Notifier> notifier) {
		this.pools = pools;
		this.notifier = notifier;
	}

	void workIn(Collection<String> queues) {
		this.pools.ifAvailable((all) -> all.wake(queues));
		this.notifier.ifAvailable((others) -> others.notify(queues));
	}

	void somethingChanged() {
		this.pools.ifAvailable((all) -> all.all().forEach(WorkerPool::beat));
	}

}
