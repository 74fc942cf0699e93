package io.gator.worker;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.gator.store.Notifications;
import io.gator.store.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * The advisory locks that show that the pools of this process live, on the session that
 * listens. Used by its thread.
 */
final class PoolLocks {

	/** How long between two tries to get a lock that another session still has. */
	static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

	/** How long between two looks for locks to give back, if there may be some. */
	static final Duration RELEASE_INTERVAL = Duration.ofMinutes(1);

	private final List<WorkerPool> pools;

	/** The identities whose locks the session holds. */
	private final Set<Long> locked = new HashSet<>();

	/** When locks were given back last. */
	private @Nullable Long releasedAt;

	/** When an identity was tried last. */
	private final Map<Long, Long> tried = new HashMap<>();

	PoolLocks(List<WorkerPool> pools) {
		this.pools = pools;
	}

	/**
	 * Lock what is not locked yet. An earlier session of this process, whose end the
	 * server has not noticed, may have the lock for a while.
	 * @param session the session that is to hold the locks
	 * @throws StoreException if the session is broken
	 */
	void acquire(Notifications.Session session) {
		acquire(session, System.nanoTime());
	}

	void acquire(Notifications.Session session, long now) {
		Set<Long> identities = new HashSet<>();
		for (WorkerPool pool : this.pools) {
			identities.addAll(pool.identities());
		}
		this.tried.keySet().retainAll(identities);
		for (Long worker : identities) {
			Long last = this.tried.get(worker);
			if (!this.locked.contains(worker) && (last == null || now - last > RETRY_INTERVAL.toNanos())) {
				this.tried.put(worker, now);
				// Noted before it is locked, because the answer may be lost.
				this.locked.add(worker);
				if (!session.lock(worker)) {
					this.locked.remove(worker);
				}
				this.pools.forEach((pool) -> pool.lockAsked(worker));
			}
		}
		release(session, identities, now);
	}

	/**
	 * Give back the locks of retired identities: all sessions of the server share the
	 * room for locks, and a pool in trouble may take a new identity every other second.
	 * Not of those that were merely given up: others would take their jobs at once, while
	 * handlers may run on.
	 */
	private void release(Notifications.Session session, Set<Long> identities, long now) {
		Set<Long> former = new HashSet<>(this.locked);
		former.removeAll(identities);
		Long last = this.releasedAt;
		if (!former.isEmpty() && (last == null || now - last > RELEASE_INTERVAL.toNanos())) {
			this.releasedAt = now;
			this.locked.removeAll(session.unlockRetired(former));
		}
	}

	/**
	 * Note that the session broke, and its locks with it. Others take a pool whose lock
	 * is free for dead as soon as it misses some beats, and not only when its lease is
	 * over. After a restart of the server they wait, and a server that ends a session
	 * says so; anything else that ended the session may have cut off this process alone.
	 * Further calls, because no other session can be opened, change nothing.
	 * @param reason how it broke
	 */
	void lost(Throwable reason) {
		boolean ended = reason instanceof StoreException store && store.isServerShutdown();
		for (Long worker : this.locked) {
			this.pools.forEach((pool) -> pool.lockLost(worker, ended));
		}
		this.locked.clear();
		this.tried.clear();
	}

}
