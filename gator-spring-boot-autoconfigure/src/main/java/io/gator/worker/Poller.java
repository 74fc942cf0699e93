package io.gator.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.gator.routing.Route;
import io.gator.routing.Routes;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;
import io.gator.store.Notifications;
import io.gator.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims for the free slots and a little ahead. Its thread never ends for an error.
 * <p>
 * It sleeps in two ways: for room, until slots have worked off enough to make a claim
 * worth it, and for work, until somebody says that there is some, the next delayed job is
 * due, or the poll interval is over.
 */
final class Poller {

	private static final Logger logger = LoggerFactory.getLogger(Poller.class);

	/** First the delayed jobs by their time, then the immediate ones by their id. */
	private static final Comparator<ClaimedJob> IN_ORDER = Comparator.comparing((ClaimedJob job) -> !job.isDelayed())
		.thenComparingDouble((job) -> job.isDelayed() ? job.dueAt() : 0)
		.thenComparingLong(ClaimedJob::id);

	private final PoolSettings settings;

	private final JobStore store;

	private final Attempts attempts;

	private final Set<String> names;

	private final Membership membership;

	private final KnownQueues queues;

	private final Selection selection;

	private final Marks marks = new Marks();

	private final BatchClaims batches;

	private final Load load;

	private final WorkerMetrics metrics;

	private final Backoff backoff;

	private final WakeUp wakeUp = new WakeUp();

	private final long pollNanos;

	private volatile boolean stopping;

	private volatile boolean hint = true;

	private volatile Map<String, Integer> serving = Map.of();

	private long nextPoll;

	private boolean dueIsStale = true;

	private long nextDue = Long.MAX_VALUE;

	Poller(PoolSettings settings, JobStore store, Attempts attempts, Membership membership, KnownQueues queues,
			Load load) {
		this.settings = settings;
		this.store = store;
		this.attempts = attempts;
		this.names = attempts.singleNames();
		this.membership = membership;
		this.queues = queues;
		this.selection = new Selection(settings);
		this.batches = new BatchClaims(store, attempts, settings, () -> wake(List.of()));
		this.load = load;
		this.metrics = attempts.metrics();
		this.backoff = new Backoff(logger, "Polling of pool " + settings.name());
		this.pollNanos = settings.pollInterval().toNanos();
		this.nextPoll = System.nanoTime();
	}

	/**
	 * The queues that are served now.
	 * @return their names
	 */
	Collection<String> serving() {
		return this.serving.keySet();
	}

	boolean isFailing() {
		return this.backoff.isFailing();
	}

	/**
	 * Say that there may be work.
	 * @param queues where; an empty name means anywhere
	 */
	void wake(Collection<String> queues) {
		for (String queue : queues) {
			if (!queue.equals(Notifications.CONTROL)) {
				this.queues.heardOf(queue);
			}
		}
		this.hint = true;
		this.wakeUp.signal();
	}

	/**
	 * Say that slots have worked something off. Called for every job.
	 */
	void worked() {
		if (this.wakeUp.isWaiting() && this.load.isLow()) {
			this.wakeUp.signal();
		}
	}

	void stop() {
		this.stopping = true;
		this.wakeUp.signal();
	}

	/**
	 * Claim and sleep until stopped.
	 */
	void loop() {
		while (!this.stopping) {
			try {
				long sleep = runOnce();
				this.backoff.succeeded();
				if (sleep > 0) {
					this.wakeUp.await(sleep);
				}
			}
			catch (StoreException ex) {
				if (ex.isOutcomeUnknown()) {
					answerLost();
				}
				pause(this.backoff.failed(ex));
			}
			catch (Throwable ex) {
				// Whatever it was, what it kept from starting must not stay reserved.
				answerLost();
				pause(this.backoff.failed(ex));
			}
		}
	}

	private void pause(long millis) {
		// Signals that come meanwhile are not the end of the trouble.
		long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
		this.hint = true;
		for (long left = end - System.nanoTime(); left > 0 && !this.stopping; left = end - System.nanoTime()) {
			this.wakeUp.await(left);
		}
	}

	/**
	 * Nobody knows what that claim reserved. From now on another identity claims, so that
	 * what the old one holds beyond the known jobs can be given back.
	 */
	private void answerLost() {
		this.membership.renew();
	}

	/**
	 * Claim if there is room and there may be work.
	 * @return how long to sleep, in nanoseconds; 0 to go on at once
	 */
	long runOnce() {
		long worker = this.membership.require();
		reclaim();
		long now = System.nanoTime();
		if (!this.membership.mayClaim(now)) {
			return TimeUnit.MILLISECONDS.toNanos(100);
		}
		if (this.membership.awaitsLock(now)) {
			return TimeUnit.MILLISECONDS.toNanos(5);
		}
		boolean due = now - this.nextDue >= 0 && this.nextDue != Long.MAX_VALUE;
		if (!this.hint && !due && now - this.nextPoll < 0 && this.batches.untilLook(now) > 0) {
			return untilWork(now);
		}
		boolean woken = due;
		if (this.hint) {
			// Before anything is read: what is said from here on is for the next claim.
			this.hint = false;
			woken = true;
		}
		serve(this.queues.all());
		this.wakeUp.prepare();
		int room = this.load.room();
		if (room <= 0) {
			if (woken) {
				this.hint = true;
			}
			return this.pollNanos;
		}
		this.wakeUp.carryOn();
		claimBatches(worker);
		int claimed = claim(worker, room);
		if (this.stopping) {
			return 0;
		}
		this.nextPoll = System.nanoTime() + jittered(this.pollNanos);
		if (claimed >= room) {
			this.hint = true;
			this.dueIsStale = true;
			return 0;
		}
		if (woken || claimed > 0 || this.dueIsStale) {
			lookAhead();
		}
		return untilWork(System.nanoTime());
	}

	/**
	 * Serve the queues that are not paused. What was claimed of one before it was paused,
	 * and is not started, goes back: that may be work for seconds.
	 */
	private void serve(Map<String, Boolean> known) {
		if (this.serving.keySet().stream().anyMatch((queue) -> known.getOrDefault(queue, false))) {
			this.load.release();
		}
		this.serving = this.selection.serving(known);
	}

	/**
	 * Jitter keeps pools that started together from asking together for ever. A little,
	 * so that an idle pool still asks once in the interval.
	 */
	private static long jittered(long nanos) {
		return nanos - ThreadLocalRandom.current().nextLong(nanos / 100 + 1);
	}

	private long untilWork(long now) {
		long until = this.nextPoll - now;
		if (this.nextDue != Long.MAX_VALUE) {
			until = Math.min(until, this.nextDue - now);
		}
		until = Math.min(until, this.batches.untilLook(now));
		return this.hint ? 0 : Math.max(0, until);
	}

	/**
	 * Learn when the next delayed job is due. Asked only after something happened, so
	 * that an idle pool does not ask twice.
	 */
	private void lookAhead() {
		this.dueIsStale = false;
		OptionalDouble seconds = this.store.nextDue(this.serving.keySet());
		// A millisecond later rather than earlier: a claim that comes too early is
		// wasted.
		this.nextDue = seconds.isPresent()
				? System.nanoTime() + (long) (Math.min(seconds.getAsDouble(), 86_400) * 1e9) + 1_000_000
				: Long.MAX_VALUE;
	}

	private void reclaim() {
		for (Long old : this.membership.toReclaim(System.nanoTime())) {
			long looked = System.nanoTime();
			int released = this.store.reclaimLost(old, this.membership.held(old));
			this.membership.reclaimed(old, looked);
			if (released > 0) {
				logger.warn("Pool {} lost the answer to a claim: {} jobs that nobody knew of go back",
						this.settings.name(), released);
				this.hint = true;
			}
		}
	}

	private int claim(long worker, int room) {
		if (this.serving.isEmpty()) {
			return 0;
		}
		long start = System.nanoTime();
		this.marks.sweepIfDue(start);
		Map<String, List<ClaimedJob>> byQueue = new HashMap<>();
		Set<String> empty = new HashSet<>();
		int claimed = 0;
		Map<String, Integer> asking = this.serving;
		// What a queue cannot use goes to the others in the same round.
		StoreException failure = null;
		while (claimed < room && !asking.isEmpty()) {
			Map<String, Integer> plan = this.selection.plan(asking, room - claimed);
			List<ClaimedJob> jobs;
			try {
				jobs = claim(worker, plan, room - claimed);
			}
			catch (StoreException ex) {
				// What the rounds before have claimed is the pool's all the same.
				failure = ex;
				break;
			}
			claimed += jobs.size();
			asking = note(asking, plan, jobs, claimed >= room, byQueue, empty);
		}
		long end = System.nanoTime();
		this.marks.ended(start, end);
		this.metrics.claimed(this.settings.name(), claimed, end - start);
		if (claimed > 0) {
			List<ClaimedJob> ordered = this.selection.order(this.serving, byQueue, empty);
			take(worker, executions(worker, ordered, end));
		}
		if (failure != null) {
			throw failure;
		}
		return claimed;
	}

	private void take(long worker, List<? extends Execution> executions) {
		this.load.add(executions);
		if (!this.membership.holds(worker)) {
			// The claim took so long that the pool was fenced meanwhile, and these were
			// not seen then.
			executions.forEach((execution) -> execution.stop(Execution.Stop.FENCED));
		}
	}

	private void claimBatches(long worker) {
		this.batches.claim(worker, this.serving.keySet(), (ready) -> {
			take(worker, ready);
			this.hint = true;
		});
	}

	private List<ClaimedJob> claim(long worker, Map<String, Integer> plan, int total) {
		List<ClaimRequest.Share> shares = new ArrayList<>(plan.size());
		plan.forEach((queue, quota) -> shares.add(this.marks.share(queue, quota)));
		return this.store.claim(new ClaimRequest(worker, this.names, shares, total));
	}

	/**
	 * Note what a claim brought. Queues are served in the order of the plan, so one that
	 * brought less than its quota is empty, unless the claim ended with it or before it.
	 * @return the queues that may have more
	 */
	private Map<String, Integer> note(Map<String, Integer> asked, Map<String, Integer> plan, List<ClaimedJob> jobs,
			boolean done, Map<String, List<ClaimedJob>> byQueue, Set<String> empty) {
		Map<String, List<ClaimedJob>> now = new HashMap<>();
		for (ClaimedJob job : jobs) {
			now.computeIfAbsent(job.queue(), (queue) -> new ArrayList<>()).add(job);
		}
		Map<String, Integer> more = new LinkedHashMap<>();
		long time = System.nanoTime();
		boolean cut = done;
		List<String> backwards = new ArrayList<>(plan.keySet());
		Collections.reverse(backwards);
		for (String queue : backwards) {
			List<ClaimedJob> found = now.getOrDefault(queue, List.of());
			boolean full = found.size() >= plan.getOrDefault(queue, 0);
			boolean exhausted = !full && !cut;
			this.marks.claimed(queue, found, !exhausted, time);
			if (exhausted) {
				empty.add(queue);
			}
			if (!found.isEmpty()) {
				// The claim came to this queue, and so to all that stand before it.
				cut = false;
				found.sort(IN_ORDER);
				byQueue.computeIfAbsent(queue, (q) -> new ArrayList<>()).addAll(found);
			}
		}
		plan.forEach((queue, quota) -> {
			if (now.getOrDefault(queue, List.of()).size() >= quota) {
				more.put(queue, asked.getOrDefault(queue, 1));
			}
		});
		return more;
	}

	private List<Execution> executions(long worker, List<ClaimedJob> jobs, long now) {
		List<Execution> executions = new ArrayList<>(jobs.size());
		Routes routes = this.attempts.routes();
		for (ClaimedJob job : jobs) {
			Route route = routes.find(job.name());
			if (route == null) {
				throw new IllegalStateException("Job " + job.name() + " was claimed without a handler");
			}
			executions.add(new Attempt(this.attempts, job, route, worker, now));
		}
		return executions;
	}

}
