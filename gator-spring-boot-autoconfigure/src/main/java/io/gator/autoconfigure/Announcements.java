package io.gator.autoconfigure;

import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;

import io.gator.worker.Notifier;
import io.gator.worker.WorkerPool;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/**
 * Tells pools that there is something to do: those of this process directly, those of
 * other processes by a notification. The pools and the notifier are looked up late,
 * because handlers dispatch too and pools need the handlers; and only once, because a
 * look-up costs more than the rest of a dispatch.
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
