package io.gator.worker;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.gator.store.WorkerStore;
import org.jspecify.annotations.Nullable;

/**
 * One identity of a pool, and what others may know of it. Thread-safe.
 */
final class Identity {

	/**
	 * How long after its last beat a pool may go on when the server has ended the session
	 * with its lock. Others ignore free locks for ten seconds after the server's start,
	 * and after failed beats of their own; both times begin after this pool's last beat.
	 * No longer, because the server may be back for all but this process.
	 */
	private static final long ENDED_PATIENCE = TimeUnit.SECONDS.toNanos(9);

	final long id;

	final long since;

	private final long claimTime;

	volatile long lastBeat;

	/** Whether the lock that shows its life was asked for. */
	volatile boolean asked;

	/** The cancellations that the last beat brought. */
	volatile Set<Long> cancelled = Set.of();

	/**
	 * The search for jobs that are reserved under it and not known here, once there may
	 * be some.
	 */
	private volatile @Nullable LostJobSearch search;

	private final AtomicReference<Lock> lock = new AtomicReference<>(Lock.KNOWN);

	/**
	 * Take an identity.
	 * @param id its id
	 * @param lastBeat when its first beat was sent
	 * @param claimTime how long the server may still carry out a claim whose answer was
	 * lost, in nanoseconds
	 */
	Identity(long id, long lastBeat, long claimTime) {
		this.id = id;
		this.claimTime = claimTime;
		this.since = lastBeat;
		this.lastBeat = lastBeat;
	}

	/**
	 * Note a beat.
	 * @param sent when it was sent
	 */
	void beat(long sent) {
		this.lastBeat = sent;
		serverIsThere();
	}

	/**
	 * Note that the server is there: it was not shut down when it ended the session with
	 * the lock, or has started again and heard of this pool. In neither case do others
	 * ignore the free lock.
	 */
	void serverIsThere() {
		this.lock.compareAndSet(Lock.ENDED, Lock.LOST);
	}

	void lockAsked() {
		this.lock.set(Lock.KNOWN);
		this.asked = true;
	}

	void lockLost(boolean ended) {
		this.lock.set(ended ? Lock.ENDED : Lock.LOST);
	}

	/**
	 * How long it may go without a beat before nothing may run under it.
	 * @param registration whose identity it is
	 * @return nanoseconds
	 */
	long patience(WorkerStore.Registration registration) {
		long fence = registration.lease().toNanos() / 3 * 2;
		// Others wait for three missed beats; the pool must stop its jobs before that.
		long exposed = registration.heartbeat().toNanos() / 2 * 5;
		return switch (this.lock.get()) {
			case KNOWN -> fence;
			case ENDED -> Math.min(Math.max(exposed, ENDED_PATIENCE), fence);
			case LOST -> Math.min(exposed, fence);
		};
	}

	/**
	 * Search from now on for jobs that are reserved under it and not known here.
	 */
	void startSearch() {
		this.search = new LostJobSearch(this.id, System.nanoTime(), this.claimTime);
	}

	@Nullable LostJobSearch search() {
		return this.search;
	}

	/**
	 * Whether nothing is reserved under it any more that is not known here.
	 * @return whether its search is over
	 */
	boolean isSearched() {
		LostJobSearch search = this.search;
		return search != null && search.isOver();
	}

	/**
	 * What has become of the lock that shows its life.
	 */
	private enum Lock {

		/** A session has it, or others know that none has. */
		KNOWN,

		/** The server ended the session that had it, and has heard no beat since. */
		ENDED,

		/** The session that had it is gone, and the server may answer others. */
		LOST

	}

}
