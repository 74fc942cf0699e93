package io.gator.worker;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

import io.gator.store.JobStore;
import io.gator.store.StoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims for the free slots and a little ahead. Its thread never ends for an error.
 * <p>
 * It sleeps in two ways: for room, until slots have worked off enough to make a claim
 * worth it, and for work, until somebody says that there is some, the next delayed job is
 * due, items have waited for their batch, a look that was put off is due, or the poll
 * interval is over.
 */
final class Poller {

	private static final Logger logger = LoggerFactory.getLogger(Poller.class);

	private final String pool;

	private final JobStore store;

	/** Of all jobs that this application knows. */
	private final Set<String> names;

	private final Membership membership;

	private final KnownQueues queues;

	private final Reach reach;

	private final SingleClaims singles;

	private final BatchLines batchLines;

	private final IdleLook idleLook;

	private final Claims claims;

	private final LostJobSearches searches;

	private final Load load;

	private final LongSupplier clock;

	private final Backoff backoff;

	private final Sleeper sleeper = new Sleeper();

	private final Agenda agenda;

	/** Whether nobody knows what a claim reserved. */
	private boolean answerLost;

	private volatile boolean stopping;

	/** What the last claim was made from, with the weights. */
	private Map<String, Integer> serving = Map.of();

	/** Whether jobs went back, which are claimed again if a slot is idle. */
	private volatile boolean wentBack;

	/**
	 * Create the poller of a pool.
	 * @param settings the pool
	 * @param services what attempts need
	 * @param membership the identity to claim under
	 * @param queues the queues that are known
	 * @param slots how many slots there are
	 * @param load the room for what is claimed
	 * @param clock the monotonic time by which it is decided what to claim and when; the
	 * pauses themselves take real time
	 */
	Poller(PoolSettings settings, AttemptServices services, Membership membership, KnownQueues queues,
			IntSupplier slots, Load load, LongSupplier clock) {
		this.pool = settings.name();
		this.store = services.store();
		this.names = services.routes().names();
		this.membership = membership;
		this.queues = queues;
		this.clock = clock;
		this.load = load;
		this.reach = new Reach(this.pool, this.store);
		this.singles = new SingleClaims(services, settings, this.reach, new Selection(settings), load::claimTook,
				clock);
		this.batchLines = new BatchLines(this.store, services.routes(), this.reach, slots, this.sleeper::signal, clock);
		this.idleLook = new IdleLook(this.store, this.singles, this.batchLines, clock);
		this.claims = new Claims(this.singles, new BatchClaims(services, this.pool, this.batchLines, clock), this::take,
				clock);
		this.backoff = new Backoff(logger, "Polling of pool " + settings.name());
		this.agenda = new Agenda(settings.pollInterval().toNanos(), clock.getAsLong());
		this.searches = new LostJobSearches(settings.name(), this.store, membership, this.agenda::wake);
	}

	/**
	 * What keeps it from claiming.
	 * @return the trouble, or {@code null}
	 */
	PoolStatus.@Nullable Trouble trouble(long now) {
		return this.backoff.trouble(now);
	}

	/**
	 * Say that there may be work.
	 * @param queues where, if that is known
	 */
	void wake(Collection<String> queues) {
		queues.forEach(this.queues::heardOf);
		this.agenda.wake();
		this.sleeper.signal();
	}

	/**
	 * Say that slots have worked something off. Called for every job. Jobs that went back
	 * while no slot was idle are for the slot that is idle now, even if the poller is
	 * only about to sleep.
	 */
	void worked() {
		if (this.sleeper.isWaiting() && this.load.isLow() || this.wentBack && this.load.hasIdleSlot()) {
			this.sleeper.signal();
		}
	}

	/**
	 * Say that jobs of the pool went back to the table, of which nobody else is told.
	 */
	void wentBack() {
		this.wentBack = true;
		if (this.load.hasIdleSlot()) {
			this.sleeper.signal();
		}
	}

	/**
	 * Say that there is no identity to claim under. May be said again and again until
	 * there is one: after an error the poller pauses all the same.
	 */
	void identityIsGone() {
		this.sleeper.signal();
	}

	void stop() {
		this.stopping = true;
		this.sleeper.signal();
	}

	/**
	 * Claim and sleep until stopped.
	 */
	void loop() {
		while (!this.stopping) {
			try {
				renewIfAnswerLost();
				this.backoff.begins(System.nanoTime());
				long sleep = runOnce();
				ranOnce();
				if (sleep > 0) {
					this.sleeper.await(sleep);
				}
			}
			catch (Throwable ex) {
				// What the pool was woken for may not have been done.
				this.agenda.wake();
				// Whatever the error was, jobs that it kept from starting must not stay
				// reserved.
				this.answerLost |= !(ex instanceof StoreException store) || store.isOutcomeUnknown();
				recover(ex);
			}
		}
	}

	/**
	 * A pool that is not heard sends nothing, which does not show that the database is
	 * back.
	 */
	private void ranOnce() {
		if (this.membership.mayClaim(this.clock.getAsLong())) {
			this.backoff.succeeded();
		}
		else {
			this.backoff.ends();
		}
	}

	/** Where there is no memory left this fails as well, and must not end the loop. */
	private void recover(Throwable error) {
		try {
			renewIfAnswerLost();
			pause(this.backoff.failed(error));
		}
		catch (Throwable ex) {
			Quietly.error(logger, "Polling of pool {} met an unexpected error and goes on", this.pool, ex);
		}
	}

	private void pause(long millis) {
		// Signals that come meanwhile are not the end of the trouble.
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		for (long left = end - System.nanoTime(); left > 0 && !this.stopping; left = end - System.nanoTime()) {
			this.sleeper.await(left);
		}
	}

	/**
	 * From now on another identity claims, so that what the old one holds beyond the
	 * known jobs can be given back.
	 */
	private void renewIfAnswerLost() {
		if (this.answerLost) {
			this.membership.renew();
			this.answerLost = false;
		}
	}

	/**
	 * Claim if there is room and there may be work.
	 * @return how long to sleep, in nanoseconds; 0 to go on at once
	 */
	long runOnce() {
		long worker = this.membership.require();
		long untilStep = this.searches.step();
		return Math.min(untilStep, claimOrWait(worker));
	}

	private long claimOrWait(long worker) {
		long now = this.clock.getAsLong();
		if (!this.membership.mayClaim(now)) {
			return TimeUnit.MILLISECONDS.toNanos(100);
		}
		if (this.membership.awaitsLock(now)) {
			return TimeUnit.MILLISECONDS.toNanos(5);
		}
		releaseStale(now);
		if (this.wentBack && this.load.hasIdleSlot()) {
			// No other pool may have had an idle slot since.
			this.wentBack = false;
			this.agenda.wake();
			// Claims may have gone past them.
			this.singles.sweepSoon();
			this.batchLines.sweepSoon();
		}
		boolean poll = this.agenda.isPollDue(now);
		if (!this.agenda.hasReason(now) && !poll && untilClaim(now) > 0) {
			return untilWork(now);
		}
		boolean reason = this.agenda.takeReason(now);
		if (reason) {
			this.batchLines.woken();
		}
		serve();
		this.sleeper.prepare();
		int room = this.load.room(this.singles.mostAhead());
		if (room <= 0) {
			if (reason) {
				this.agenda.wake();
			}
			return Math.min(this.agenda.pollNanos(), this.load.untilStale(now));
		}
		this.sleeper.carryOn();
		return claimAndPlan(worker, this.singles.limit(room), reason, poll);
	}

	private long claimAndPlan(long worker, int room, boolean reason, boolean poll) {
		long woken = this.clock.getAsLong();
		boolean full = this.claims.claim(worker, room, wanted(reason, poll), this.serving);
		if (this.stopping) {
			return 0;
		}
		if (reason || poll) {
			this.agenda.polled(this.clock.getAsLong());
		}
		if (full) {
			this.agenda.wake();
			return 0;
		}
		if (reason) {
			pollForLateCommits(woken, this.clock.getAsLong());
		}
		if (reason || poll && this.agenda.arePollsRare()) {
			// Otherwise the job that is due next is the same as when it was last
			// asked for, and the pool wakes again when that job is due.
			this.agenda.nextDue(nextDue(), this.clock.getAsLong());
		}
		return untilWork(this.clock.getAsLong());
	}

	private JobStore.NextDue nextDue() {
		long start = this.clock.getAsLong();
		try {
			return this.store.nextDue(this.names, this.serving.keySet(),
					Math.max(this.agenda.askedAt(), this.reach.afterDue()));
		}
		catch (StoreException ex) {
			if (ex.isTimeout()) {
				this.reach.brokenOff(new Elapsed(start, this.clock.getAsLong()));
			}
			throw ex;
		}
	}

	/**
	 * The job that the pool was woken for may lie behind the marks, if its transaction
	 * was long. Nobody speaks of it again, so a poll must find it.
	 */
	private void pollForLateCommits(long woken, long now) {
		long wait = Math.max(this.singles.untilAllIsSeen(woken, now), this.batchLines.untilAllIsSeen(woken, now));
		if (wait > 0) {
			this.agenda.pollBy(now + wait);
		}
	}

	private void releaseStale(long now) {
		Execution oldest = this.load.releaseStale(now);
		if (oldest != null) {
			this.claims.releasedStale(oldest);
		}
	}

	private IdleLook.Wanted wanted(boolean reason, boolean poll) {
		if (reason) {
			return IdleLook.Wanted.BOTH;
		}
		boolean batchesDue = this.batchLines.untilLook(this.clock.getAsLong()) <= 0;
		if (!poll || batchesDue) {
			return new IdleLook.Wanted(poll, batchesDue);
		}
		IdleLook.Wanted wanted = this.idleLook.look(this.serving.keySet());
		if (wanted.batches()) {
			// Jobs whose batches just pause are left out of the claim, and should not
			// have to wait for the next poll.
			this.batchLines.owe();
		}
		return wanted;
	}

	/**
	 * Serve the queues that are not paused. What was claimed of a queue before it was
	 * paused, and is not started, goes back: it may be work for seconds.
	 */
	private void serve() {
		Map<String, Boolean> known = this.queues.all();
		if (this.serving.keySet().stream().anyMatch((queue) -> known.getOrDefault(queue, false))) {
			this.load.release();
		}
		Map<String, Integer> before = this.serving;
		this.serving = this.queues.serving();
		if (!this.serving.keySet().equals(before.keySet())) {
			// A paused queue is only not served for now. Without its marks each claim
			// after the pause would begin at its dead rows, also after one was broken off
			// there.
			Set<String> kept = new HashSet<>(known.keySet());
			kept.addAll(this.serving.keySet());
			this.singles.retain(kept);
			this.batchLines.retain(kept);
		}
	}

	private long untilWork(long now) {
		long others = Math.min(untilClaim(now), this.load.untilStale(now));
		return Math.max(0, Math.min(this.agenda.until(now), others));
	}

	private long untilClaim(long now) {
		return Math.min(this.batchLines.untilLook(now), this.claims.untilSingles(now));
	}

	private void take(long worker, List<? extends Execution> executions) {
		this.load.add(executions, () -> {
			this.membership.cancelEarly(executions);
			// The claim may have taken so long that the pool was stopped or fenced
			// meanwhile; these executions were not known then.
			if (this.stopping) {
				executions.forEach((execution) -> execution.stop(Execution.Stop.SHUTDOWN));
			}
			else if (!this.membership.isLive(worker)) {
				executions.forEach((execution) -> execution.stop(Execution.Stop.FENCED));
			}
		});
		if (this.stopping) {
			this.load.release();
		}
	}

}
