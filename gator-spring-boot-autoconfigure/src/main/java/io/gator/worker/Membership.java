package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

import io.gator.store.StoreException;
import io.gator.store.WorkerStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who a pool is in the cluster: the identity under which it claims, and its right to run
 * what it claimed under it.
 * <p>
 * An identity is given up, and another one taken, when nobody can tell any more what is
 * reserved under it: when the answer to a claim was lost, when the pool could not beat
 * for most of its lease, or when others have declared it dead. One that was given up
 * still beats while jobs run under it, and is then left to be forgotten.
 */
final class Membership {

	/** How long at most the first claim waits for the lock. */
	private static final long LOCK_PATIENCE = TimeUnit.SECONDS.toNanos(1);

	/**
	 * When the database has not heard the pool for so long, it does not try to delete its
	 * row.
	 */
	private static final long UNHEARD = TimeUnit.SECONDS.toNanos(3);

	private static final Logger logger = LoggerFactory.getLogger(Membership.class);

	private final WorkerStore store;

	private final WorkerStore.Registration registration;

	private final KnownQueues queues;

	private final InFlight inFlight;

	private final IntSupplier slots;

	private final BooleanSupplier lockExpected;

	/** How long the server may carry on with a claim whose answer was lost. */
	private final long claimTime;

	private final Identities identities = new Identities();

	private final Fence fence;

	private final Cancellations cancellations;

	/** When the last beat was sent that was taken, under whichever identity. */
	private volatile @Nullable Long lastHeard;

	/** The server that has heard the last beat. */
	private @Nullable String server;

	private final OnceAMinute warnings = new OnceAMinute();

	/** Whether the last beat failed for a reason that lasts. */
	private volatile boolean misconfigured;

	Membership(WorkerStore store, WorkerStore.Registration registration, KnownQueues queues, InFlight inFlight,
			IntSupplier slots, Duration statementTimeout, BooleanSupplier lockExpected) {
		this.claimTime = statementTimeout.plusSeconds(1).toNanos();
		this.store = store;
		this.registration = registration;
		this.queues = queues;
		this.inFlight = inFlight;
		this.slots = slots;
		this.cancellations = new Cancellations(inFlight);
		this.fence = new Fence(store, registration, this.identities, inFlight);
		this.lockExpected = lockExpected;
	}

	/**
	 * The identity to claim under, taking one where there is none. It counts once it has
	 * beaten: who can register and not beat would burn an attempt of each job with every
	 * identity.
	 * @return the identity
	 * @throws StoreException if there is none and none can be had
	 */
	long require() {
		Identity identity = this.identities.current();
		if (identity == null) {
			long before = System.nanoTime();
			identity = new Identity(this.store.register(this.registration), before, this.claimTime);
			if (beatsFirst(identity)) {
				this.identities.take(identity);
			}
		}
		return identity.id;
	}

	/**
	 * Only the answer to a beat tells which queues there are. If others are served then,
	 * a second one says so, or people would be told for a second that nobody serves them.
	 */
	private boolean beatsFirst(Identity identity) {
		try {
			Set<String> told = this.queues.serving().keySet();
			boolean alive = say(identity, 0).alive();
			return told.equals(this.queues.serving().keySet()) ? alive : say(identity, 0).alive();
		}
		catch (StoreException ex) {
			retire(identity);
			throw ex;
		}
	}

	/**
	 * Whether there is an identity to claim under.
	 * @return whether {@link #require} would have to take none
	 */
	boolean hasIdentity() {
		return this.identities.current() != null;
	}

	/**
	 * Whether the pool was heard lately enough to take on work.
	 * @return whether it may claim
	 */
	boolean mayClaim(long now) {
		Identity identity = this.identities.current();
		return identity != null && !this.misconfigured
				&& now - identity.lastBeat < this.registration.lease().toNanos() / 2;
	}

	/**
	 * Whether the identity waits for the lock that shows its life. The jobs of a process
	 * that is killed before it has the lock wait for the end of its lease. It is not
	 * waited for long: perhaps the lock cannot be had.
	 * @return whether to claim nothing for a moment
	 */
	boolean awaitsLock(long now) {
		Identity identity = this.identities.current();
		return identity != null && !identity.asked && this.lockExpected.getAsBoolean()
				&& now - identity.since < LOCK_PATIENCE;
	}

	/**
	 * The identities that live.
	 * @return their ids
	 */
	Collection<Long> identities() {
		return this.identities.all().stream().map((identity) -> identity.id).toList();
	}

	/**
	 * How long ago the pool was last heard. Another identity that it cannot get does not
	 * begin anew.
	 * @return nanoseconds; -1 if it never was
	 */
	long silence(long now) {
		Long last = this.lastHeard;
		return (last != null) ? Math.max(0, now - last) : -1;
	}

	/**
	 * What keeps it from beating, though the database answers.
	 * @return the trouble, or {@code null}
	 */
	PoolStatus.@Nullable Trouble trouble(long now) {
		return this.misconfigured ? new PoolStatus.Trouble(Duration.ofNanos(Math.max(0, silence(now))), false) : null;
	}

	/**
	 * Take another identity with the next claim, because there may be jobs reserved under
	 * this one of which nobody knows.
	 */
	synchronized void renew() {
		Identity old = this.identities.current();
		if (old != null) {
			old.startSearch();
			this.identities.replace(old);
		}
		else {
			// The claim may have been made under one that a beat has renewed meanwhile.
			// Then its search began before anything of that claim was lost.
			this.identities.former().forEach(Identity::startSearch);
		}
	}

	/**
	 * The searches for what is reserved under identities that were given up. Called by
	 * the poller.
	 * @return the searches
	 */
	List<LostJobSearch> searches() {
		if (this.identities.former().isEmpty()) {
			return List.of();
		}
		List<LostJobSearch> all = new ArrayList<>();
		for (Identity old : this.identities.former()) {
			LostJobSearch search = old.search();
			if (search != null) {
				all.add(search);
			}
		}
		return all;
	}

	/**
	 * Whether an identity is still good for running what was claimed under it.
	 * @param worker the identity
	 * @return whether it is neither given up nor declared dead
	 */
	boolean isLive(long worker) {
		return this.identities.find(worker) != null;
	}

	/**
	 * Note that the lock that shows the life of an identity was asked for. Whatever the
	 * answer was, others know it too.
	 * @param worker the identity
	 */
	void lockAsked(long worker) {
		Identity identity = this.identities.find(worker);
		if (identity != null) {
			identity.lockAsked();
		}
	}

	/**
	 * Note that the session with the lock of an identity is gone, so that it may be taken
	 * for dead before its lease is over.
	 * @param worker the identity
	 * @param ended whether the server ended the session, and said so
	 */
	void lockLost(long worker, boolean ended) {
		Identity identity = this.identities.find(worker);
		if (identity != null) {
			identity.lockLost(ended);
		}
	}

	/**
	 * Say that the pool lives.
	 * @param busy how many slots are busy
	 * @return whether another pool has missed its beats
	 */
	boolean beat(int busy) {
		boolean missing = false;
		for (Identity old : this.identities.former()) {
			if (isDone(old)) {
				this.identities.drop(old);
				this.store.retire(old.id);
			}
			else {
				missing |= beat(old, 0);
			}
		}
		Identity identity = this.identities.current();
		if (identity != null) {
			missing |= beat(identity, busy);
		}
		return missing;
	}

	private boolean beat(Identity identity, int busy) {
		WorkerStore.Beat beat = say(identity, busy);
		// Perhaps another thread has given it up meanwhile.
		if (!beat.alive() && this.identities.all().contains(identity)) {
			logger.warn("The jobs of pool {} were given to others: it was silent for too long, or its row was deleted",
					this.registration.pool());
			this.fence.giveUp(identity);
		}
		return beat.missing();
	}

	private WorkerStore.Beat say(Identity identity, int busy) {
		long before = System.nanoTime();
		WorkerStore.Beat beat;
		try {
			beat = this.store.beat(identity.id, this.slots.getAsInt(), busy, this.queues.serving().keySet(),
					identity.cancelled);
		}
		catch (StoreException ex) {
			this.misconfigured = ex.kind() == StoreException.Kind.CONFIGURATION;
			if (this.misconfigured && this.warnings.isDue()) {
				logger.error("Pool {} cannot beat, and claims nothing meanwhile: {}", this.registration.pool(),
						ex.getMessage());
			}
			throw ex;
		}
		this.misconfigured = false;
		if (beat.alive()) {
			learnServer(beat.server());
			identity.beat(before);
			this.lastHeard = before;
			this.cancellations.heard(beat.cancelled(), System.nanoTime());
			identity.cancelled = beat.cancelled();
			this.queues.learn(beat.queues(), before);
		}
		return beat;
	}

	/**
	 * A server that has taken another one's place may not have its last commits: what the
	 * pool has settled can be reserved by it again. It is looked for like what a claim
	 * has brought whose answer was lost.
	 */
	private synchronized void learnServer(String server) {
		String last = this.server;
		this.server = server;
		if (last != null && !last.equals(server)) {
			// What was found for certain on the server before is not so on this one.
			this.identities.former().forEach(Identity::startSearch);
			renew();
		}
	}

	/**
	 * Cancel what somebody has cancelled before it was known here.
	 * @param executions what has just been put in flight
	 */
	void cancelEarly(Collection<? extends Execution> executions) {
		this.cancellations.apply(executions, System.nanoTime());
	}

	/**
	 * Give up identities whose lease is about to end.
	 */
	void fence(long now) {
		this.fence.check(now);
	}

	/**
	 * The ids of all jobs in flight under an identity.
	 * @param worker the identity
	 * @return the ids
	 */
	Set<Long> inFlight(long worker) {
		return this.inFlight.idsUnder(worker);
	}

	private boolean isDone(Identity former) {
		return former.isSearched() && runsNothing(former.id);
	}

	private boolean runsNothing(long worker) {
		return this.inFlight.under(worker).isEmpty();
	}

	/**
	 * Leave the cluster. An identity with jobs that could not be settled, or that may
	 * hold jobs which nobody here knows of, stays and is taken for dead when its lease is
	 * over; so does any if the database does not hear the pool.
	 * @param knowsAll whether no claim can be under way any more
	 */
	void leave(boolean knowsAll, long now) {
		Identity identity = this.identities.current();
		if (identity != null) {
			this.identities.drop(identity);
		}
		if (silence(now) > Math.max(UNHEARD, 3 * this.registration.heartbeat().toNanos())) {
			return;
		}
		if (knowsAll && identity != null && runsNothing(identity.id)) {
			retire(identity);
		}
		for (Identity old : this.identities.former()) {
			if (isDone(old)) {
				retire(old);
			}
		}
	}

	private void retire(Identity identity) {
		try {
			this.store.retire(identity.id);
		}
		catch (StoreException ex) {
			logger.warn("Pool {} could not delete its row in gator_worker: {}", this.registration.pool(),
					ex.getMessage());
		}
	}

}
