package io.gator.autoconfigure;

import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;

import io.gator.worker.Notifier;
import io.gator.worker.WorkerPool;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/**
 * Tells whoever can run jobs that there is something to do: the pools of this process at
 * once, those of others by a notification. Looks them up late, because handlers dispatch
 * too, and pools need the handlers; and only once, because a look-up costs more than the
 * rest of a dispatch.
 */
final class Announcements {

	private final Supplier<Optional<WorkerPools>> pools;

	private final Supplier<Optional<Notifier>> notifier;

	Announcements(ObjectProvider<WorkerPools> pools, ObjectProvider<Notifier> notifier) {
		this.pools = once(pools);
		this.notifier = once(notifier);
	}

	private static <T> Supplier<Optional<T>> once(ObjectProvider<T> provider) {
		return SingletonSupplier.of(() -> Optional.ofNullable(provider.getIfAvailable()));
	}

	void workIn(Collection<String> queues) {
		this.pools.get().ifPresent((all) -> all.wake(queues));
		this.notifier.get().ifPresent((others) -> others.notify(queues));
	}

	void changed() {
		this.pools.get().ifPresent((all) -> all.all().forEach(WorkerPool::beat));
	}

}
