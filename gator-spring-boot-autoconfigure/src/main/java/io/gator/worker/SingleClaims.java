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
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import io.gator.routing.Route;
import io.gator.routing.Routes;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;
import io.gator.store.LookRequest;
import io.gator.store.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Claims the jobs that are run one by one, from all queues that are served, by their
 * weights. Used by the poller.
 */
final class SingleClaims {

	/** First the delayed jobs by their time, then the immediate ones by their id. */
	private static final Comparator<ClaimedJob> IN_ORDER = Comparator.comparing((ClaimedJob job) -> !job.isDelayed())
		.thenComparingDouble((job) -> job.isDelayed() ? job.dueAt() : 0)
		.thenComparingLong(ClaimedJob::id);

	/**
	 * How long a claim may take. A longer one that leaves queues empty has walked over
	 * other jobs.
	 */
	private static final long FAR_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

	/**
	 * After how many claims that walked over other jobs it is asked where queues end;
	 * after one of them, if that was not asked for a minute. Not more often: a claim may
	 * also be slow because the database is far away, and a pool that only polls must not
	 * send more than its claims.
	 */
	static final int FAR_CLAIMS = 100;

	private static final long ENDS_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final JobStore store;

	private final AttemptServices services;

	private final Set<String> names;

	private final String pool;

	private final Selection selection;

	private final LongConsumer took;

	private final LongSupplier clock;

	private final Reach reach;

	private final Marks marks;

	private final ClaimSize size = new ClaimSize();

	/** Whether the last claim walked over other jobs until queues were empty. */
	private boolean far;

	/** How many claims did so since it was last asked where queues end. */
	private int farClaims;

	private long nextEnds;

	/**
	 * Create the claims of a pool.
	 * @param services what single jobs need
	 * @param settings the pool
	 * @param reach how far back to look for jobs
	 * @param selection shares the room among the queues
	 * @param took hears how many nanoseconds each claim took
	 * @param clock the monotonic time
	 */
	SingleClaims(AttemptServices services, PoolSettings settings, Reach reach, Selection selection, LongConsumer took,
			LongSupplier clock) {
		this.store = services.store();
		this.reach = reach;
		this.marks = new Marks(reach);
		this.services = services;
		this.names = services.singleNames();
		this.pool = settings.name();
		this.selection = selection;
		this.took = took;
		this.clock = clock;
		this.nextEnds = clock.getAsLong();
	}

	/**
	 * How many jobs to claim.
	 * @param room for how many there is room
	 * @return as many, or fewer if that many were too much lately
	 */
	int limit(int room) {
		return this.size.limit(room);
	}

	/**
	 * How many jobs may wait for a slot, by the size of those that were claimed lately.
	 * @return the number; 0 if not even one is to wait
	 */
	int mostAhead() {
		return this.size.fitting();
	}

	/**
	 * Claim until most of the room is filled or no queue has more. What a queue cannot
	 * use goes to the others in another round.
	 * @param worker the identity to claim under
	 * @param serving the queues and their weights
	 * @param room the most jobs
	 * @param taker takes what was claimed, if anything was
	 * @return what the claim has brought
	 * @throws StoreException if a round failed, after the others were taken
	 */
	Claimed claim(long worker, Map<String, Integer> serving, int room, Consumer<List<? extends Execution>> taker) {
		if (serving.isEmpty() || this.names.isEmpty()) {
			return new Claimed(0, false);
		}
		long start = this.clock.getAsLong();
		this.marks.begin(start);
		Found found = new Found(ends(serving.keySet(), start));
		StoreException failure = claimRounds(worker, serving, room, found);
		if (failure != null && failure.isTimeout()) {
			this.marks.brokenOff(serving.keySet(), new Elapsed(start, this.clock.getAsLong()));
		}
		Elapsed elapsed = new Elapsed(start, this.clock.getAsLong());
		ended(found.more, elapsed);
		this.far = !found.empty.isEmpty() && elapsed.nanos() > FAR_NANOS;
		this.farClaims += this.far ? 1 : 0;
		this.services.metrics().claimed(this.pool, found.count, elapsed.nanos());
		this.took.accept(elapsed.nanos());
		if (found.count > 0) {
			taker.accept(executions(worker, this.selection.order(serving, found.byQueue, found.empty), elapsed.end()));
		}
		if (failure != null) {
			throw failure;
		}
		return new Claimed(found.count, found.more);
	}

	/**
	 * Claim round after round. But where half of the room is filled, another round that
	 * asks most of the queues again costs as much as the next claim, which brings what is
	 * left as well. While many queues run dry one after the other, each claim would have
	 * such a round. One that asks few of many queues is cheap, and the next claim is not.
	 * @return the error of a round that failed, or {@code null}; what the rounds before
	 * it have claimed is the pool's all the same
	 */
	private @Nullable StoreException claimRounds(long worker, Map<String, Integer> serving, int room, Found found) {
		Map<String, Integer> asking = serving;
		while (!found.more) {
			if (asking.isEmpty()) {
				if (!this.marks.lookBehind()) {
					return null;
				}
				asking = serving;
				// They may have more jobs behind their marks.
				found.empty.clear();
			}
			int left = room - found.count;
			Map<String, Integer> plan = this.selection.plan(asking, left);
			List<ClaimedJob> jobs;
			try {
				jobs = ask(worker, plan, left);
			}
			catch (StoreException ex) {
				return ex;
			}
			asking = found.note(asking, plan, jobs, jobs.size() >= left);
			found.more = found.count >= room || found.count >= room / 2 && asking.size() > serving.size() / 2;
		}
		return null;
	}

	/**
	 * Ask where queues end, if it is time to. In a backlog of jobs that are not for these
	 * claims, but for batches or another application, nothing else moves the marks on.
	 */
	private JobStore.Ends ends(Set<String> queues, long now) {
		if (!this.far || (now - this.nextEnds < 0 && this.farClaims < FAR_CLAIMS)) {
			return JobStore.Ends.UNKNOWN;
		}
		this.nextEnds = now + ENDS_NANOS;
		this.farClaims = 0;
		return this.store.endsInTime(queues, this.reach.afterId());
	}

	/**
	 * Forget queues that are not known any more.
	 * @param queues those that are known
	 */
	void retain(Set<String> queues) {
		this.marks.retain(queues);
	}

	/**
	 * Let the next claim look behind the marks, because jobs went back.
	 */
	void sweepSoon() {
		this.marks.sweepSoon();
	}

	/**
	 * How long until a claim finds what was behind the marks at some time.
	 * @param then the time, which is before the last claim
	 * @return nanoseconds; 0 if one has seen all
	 */
	long untilAllIsSeen(long then, long now) {
		return this.marks.untilAllIsSeen(then, now);
	}

	/**
	 * What to look for before a claim, if it may be for nothing.
	 * @param queues the queues that are served
	 * @return the look
	 */
	LookRequest look(Collection<String> queues, long now) {
		this.marks.sweepIfDue(now);
		this.marks.lookBehind();
		return new LookRequest(this.names, queues.stream().map((queue) -> this.marks.share(queue, 1)).toList());
	}

	/**
	 * Note that the last look saw nothing, as after a claim of nothing.
	 * @param queues the queues of the look
	 * @param elapsed when it ran
	 */
	void sawNothing(Collection<String> queues, Elapsed elapsed) {
		queues.forEach((queue) -> this.marks.claimed(queue, List.of(), false, elapsed.end()));
		ended(false, elapsed);
	}

	private void ended(boolean full, Elapsed elapsed) {
		if (this.marks.ended(full, elapsed)) {
			this.reach.walked(elapsed);
		}
	}

	/**
	 * Note that the last look took longer than a statement may.
	 * @param queues the queues of the look
	 * @param elapsed when it ran
	 */
	void lookGaveUp(Collection<String> queues, Elapsed elapsed) {
		this.marks.brokenOff(queues, elapsed);
	}

	/**
	 * Whether the pool knows such jobs.
	 * @return {@code false} if all are buffered
	 */
	boolean areAny() {
		return !this.names.isEmpty();
	}

	private List<ClaimedJob> ask(long worker, Map<String, Integer> plan, int total) {
		List<ClaimRequest.Share> shares = new ArrayList<>(plan.size());
		plan.forEach((queue, quota) -> shares.add(this.marks.share(queue, quota)));
		try {
			List<ClaimedJob> jobs = this.store.claim(new ClaimRequest(worker, this.names, shares, total));
			this.size.answered(total, jobs);
			return jobs;
		}
		catch (StoreException | OutOfMemoryError ex) {
			this.size.failed(total, ex);
			throw ex;
		}
	}

	private List<Execution> executions(long worker, List<ClaimedJob> jobs, long now) {
		List<Execution> executions = new ArrayList<>(jobs.size());
		Routes routes = this.services.routes();
		for (ClaimedJob job : jobs) {
			Route route = routes.find(job.name());
			if (route == null) {
				throw new IllegalStateException("Job " + job.name() + " was claimed without a handler");
			}
			executions.add(new Attempt(this.services, job, route, worker, now));
		}
		return executions;
	}

	/**
	 * What a claim has brought.
	 *
	 * @param count how many jobs
	 * @param more whether there may be more
	 */
	record Claimed(int count, boolean more) {

	}

	/**
	 * What the rounds of one claim have brought.
	 */
	private final class Found {

		private final JobStore.Ends ends;

		private final Map<String, List<ClaimedJob>> byQueue = new HashMap<>();

		private final Set<String> empty = new HashSet<>();

		private int count;

		/** Whether the claim ends though there may be more. */
		private boolean more;

		Found(JobStore.Ends ends) {
			this.ends = ends;
		}

		/**
		 * Note what a round brought. Queues are served in the order of the plan, so one
		 * that brought less than its quota is empty, unless the round ended with it or
		 * before it.
		 * @param full whether the round brought as many jobs as it asked for
		 * @return the queues that may have more
		 */
		Map<String, Integer> note(Map<String, Integer> asked, Map<String, Integer> plan, List<ClaimedJob> jobs,
				boolean full) {
			this.count += jobs.size();
			Map<String, List<ClaimedJob>> now = new HashMap<>();
			for (ClaimedJob job : jobs) {
				now.computeIfAbsent(job.queue(), (queue) -> new ArrayList<>()).add(job);
			}
			Map<String, Integer> more = new LinkedHashMap<>();
			long time = SingleClaims.this.clock.getAsLong();
			// A full round ended with the last queue of which it brought something, and
			// did not come to those after it.
			boolean reached = !full;
			List<String> backwards = new ArrayList<>(plan.keySet());
			Collections.reverse(backwards);
			for (String queue : backwards) {
				List<ClaimedJob> found = now.getOrDefault(queue, List.of());
				boolean exhausted = reached && found.size() < plan.getOrDefault(queue, 0);
				SingleClaims.this.marks.claimed(queue, found, !exhausted, this.ends, time);
				if (exhausted) {
					this.empty.add(queue);
				}
				if (!found.isEmpty()) {
					reached = true;
					found.sort(IN_ORDER);
					this.byQueue.computeIfAbsent(queue, (q) -> new ArrayList<>()).addAll(found);
				}
			}
			plan.forEach((queue, quota) -> {
				if (now.getOrDefault(queue, List.of()).size() >= quota) {
					more.put(queue, asked.getOrDefault(queue, 1));
				}
			});
			return more;
		}

	}

}
