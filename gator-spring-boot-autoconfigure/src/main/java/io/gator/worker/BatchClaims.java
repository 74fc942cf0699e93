package io.gator.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.gator.routing.BufferSpec;
import io.gator.routing.Route;
import io.gator.routing.Routes;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;
import io.gator.store.LookRequest;
import io.gator.store.StoreException;

/**
 * Claims the batches of buffered jobs, as many at once of each job as it allows. Used by
 * the poller.
 */
final class BatchClaims {

	/**
	 * How long the pause after a look for nothing is at least: a process that dispatches
	 * one by one must not cause a look for each job.
	 */
	static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/**
	 * How many claims of a call may bring only items that go back. Another version of the
	 * application, which knows another key, may be giving the same items back as well.
	 */
	private static final int MAX_FRUITLESS = 10;

	private final JobStore store;

	private final BatchKeys keys;

	private final AttemptServices services;

	private final String pool;

	private final int slots;

	private final Runnable freed;

	private final LongSupplier clock;

	private final List<BatchLine> lines = new ArrayList<>();

	/**
	 * Where the first item of any job waits. Behind a backlog of single jobs each claim
	 * would walk over all of it once for every job, until it takes longer than a
	 * statement may, and all single jobs would wait for that.
	 */
	private final KeyedMarks marks;

	/** The batches of all jobs. */
	private final AtomicInteger running = new AtomicInteger();

	private long turns;

	/**
	 * Create the claims of a pool.
	 * @param services what batches need
	 * @param settings the pool
	 * @param freed called when a batch ends that kept another one from being claimed
	 * @param clock the monotonic time
	 */
	BatchClaims(AttemptServices services, PoolSettings settings, Runnable freed, LongSupplier clock) {
		this.store = services.store();
		this.freed = freed;
		this.clock = clock;
		this.pool = settings.name();
		this.slots = settings.concurrency();
		this.services = services;
		this.keys = new BatchKeys(this.store, services.codec());
		this.marks = KeyedMarks.ofAll(this.store, names(services.routes()), clock);
		for (Route route : services.routes().all()) {
			BufferSpec spec = route.buffered();
			if (spec != null) {
				this.lines.add(new BatchLine(route, spec, this.marks));
			}
		}
	}

	private static Set<String> names(Routes routes) {
		return routes.all()
			.stream()
			.filter((route) -> route.buffered() != null)
			.flatMap((route) -> route.names().stream())
			.collect(Collectors.toSet());
	}

	/**
	 * Note that there may be items that were not there before.
	 */
	void woken() {
		long now = this.clock.getAsLong();
		this.lines.forEach((line) -> line.woken(now));
	}

	/**
	 * Claim the batches that are ready, as many as may run beside those that already do.
	 * They need no room that single jobs have left: behind a backlog of single jobs there
	 * would never be any. A call claims no more than that though batches may end
	 * meanwhile: quick ones would keep the poller from single jobs, from pauses and from
	 * its end.
	 * @param worker the identity to claim under
	 * @param queues the queues that are served
	 * @param taker takes the batches of each claim, before the next one can fail; never
	 * more in all than there are slots
	 * @return how many batches were claimed
	 */
	int claim(long worker, Collection<String> queues, Consumer<List<Batch>> taker) {
		if (queues.isEmpty()) {
			// While no queue is served no look is owed, or the poller would not sleep.
			long now = this.clock.getAsLong();
			this.lines.forEach((line) -> line.owesNothing(now));
			return 0;
		}
		int claimed = 0;
		int fruitless = 0;
		int most = most();
		long begin = this.clock.getAsLong();
		while (claimed < most) {
			// By the time at which the call began: a pause that has begun since then is
			// not over, however short it is.
			List<BatchLine> open = open().stream().filter((line) -> !line.isPaused(begin)).toList();
			if (open.isEmpty()) {
				return claimed;
			}
			moveMarks(queues, open);
			if (this.marks.untilSet(this.clock.getAsLong()) > 0) {
				break;
			}
			BatchClaim claim = claimFrom(worker, queues, open);
			claimed += claim.batches().size();
			if (!claim.batches().isEmpty()) {
				hand(claim.batches(), taker);
			}
			claim.findOutWhy(this.store, worker);
			if (claim.gaveBack() && claim.batches().isEmpty() && ++fruitless == MAX_FRUITLESS) {
				break;
			}
		}
		// Some batches may have ended meanwhile. Those that run will say so when they
		// end.
		open().forEach(BatchLine::owe);
		return claimed;
	}

	private BatchClaim claimFrom(long worker, Collection<String> queues, List<BatchLine> open) {
		long start = this.clock.getAsLong();
		try {
			return claimOnce(worker, queues, open, free());
		}
		catch (StoreException | OutOfMemoryError ex) {
			open.forEach((line) -> line.failed(ex));
			if (ex instanceof StoreException store && store.isTimeout()) {
				Elapsed elapsed = new Elapsed(start, this.clock.getAsLong());
				open.forEach((line) -> line.brokenOff(queues, elapsed));
			}
			throw ex;
		}
	}

	private int most() {
		// Jobs may allow any number of batches.
		long open = this.lines.stream().mapToLong(BatchLine::free).filter((free) -> free > 0).sum();
		return (int) Math.min(free(), open);
	}

	/**
	 * Count the batches once all of them are created; if nobody takes them, stop counting
	 * them.
	 */
	private void hand(List<Batch> batches, Consumer<List<Batch>> taker) {
		batches.forEach(Batch::tellBegin);
		try {
			taker.accept(batches);
		}
		catch (Throwable ex) {
			batches.forEach(Batch::tellEnd);
			throw ex;
		}
	}

	/**
	 * Whether a claim would ask for anything.
	 * @return {@code false} if no job may have another batch
	 */
	boolean areOpen() {
		return !open().isEmpty();
	}

	/**
	 * Move the marks that looks move, before a look.
	 * @param queues the queues that are served
	 */
	void moveMarks(Collection<String> queues) {
		moveMarks(queues, open());
	}

	private void moveMarks(Collection<String> queues, List<BatchLine> open) {
		if (this.marks.moveIfDue(queues)) {
			// What it has found may lie behind the marks of its job as well, whose sweeps
			// began where these marks were.
			long now = this.clock.getAsLong();
			this.lines.forEach((line) -> line.sweepNow(now));
		}
		open.forEach((line) -> line.moveMarks(queues));
	}

	/**
	 * What to look for before a claim that may bring nothing.
	 * @param queues the queues that are served
	 * @return the look, for items that are ready or wait for others
	 */
	BatchLook look(Collection<String> queues, long now) {
		List<BatchLine> open = open();
		Set<String> names = new HashSet<>();
		open.forEach((line) -> {
			names.addAll(line.names());
			line.sweepIfDue(now);
		});
		LookRequest request = new LookRequest(names, queues.stream().map((queue) -> {
			long after = open.stream().mapToLong((line) -> line.after(queue)).min().orElse(0);
			return new ClaimRequest.Share(queue, 1, after, Double.NEGATIVE_INFINITY);
		}).toList());
		return new BatchLook(request, queues, open);
	}

	/**
	 * How long until a look is due: one that is owed, or the one that finds items which
	 * have waited long enough for others.
	 * @return nanoseconds; {@link Long#MAX_VALUE} if none is
	 */
	long untilLook(long now) {
		long until = open().stream().mapToLong((line) -> line.untilLook(now)).min().orElse(Long.MAX_VALUE);
		return Math.max(until, this.marks.untilSet(now));
	}

	/**
	 * Forget queues that are not known any more.
	 * @param queues those that are known
	 */
	void retain(Set<String> queues) {
		this.lines.forEach((line) -> line.retain(queues));
		this.marks.retain(queues);
	}

	/**
	 * Let the next claims look behind the marks, because items went back.
	 */
	void sweepSoon() {
		this.lines.forEach(BatchLine::sweepSoon);
	}

	/**
	 * How long until claims find what was behind the marks at some time.
	 * @param then the time, which is before the last claim
	 * @return nanoseconds; 0 if they have seen all
	 */
	long untilAllIsSeen(long then, long now) {
		return this.lines.stream().mapToLong((line) -> line.untilAllIsSeen(then, now)).max().orElse(0);
	}

	/**
	 * All jobs that may have another batch, however few slots are free: a job that is
	 * left out may be the only one that has something to do. The job that had a batch
	 * last stands last, or those before it would have all the slots.
	 */
	private List<BatchLine> open() {
		if (free() <= 0) {
			return List.of();
		}
		return this.lines.stream().filter(BatchLine::isOpen).sorted(Comparator.comparingLong(BatchLine::turn)).toList();
	}

	private int free() {
		return this.slots - this.running.get();
	}

	/**
	 * Note that there may be a batch of each job.
	 */
	void owe() {
		for (int i = 0; i < this.lines.size(); i++) {
			this.lines.get(i).owe();
		}
	}

	/**
	 * Claim one batch at most of each job.
	 * @param most the most batches in all
	 */
	private BatchClaim claimOnce(long worker, Collection<String> queues, List<BatchLine> open, int most) {
		long start = this.clock.getAsLong();
		List<BatchClaim.Asked> asked = open.stream()
			.map((line) -> new BatchClaim.Asked(line, line.isExpected(start), line.ask(queues, start)))
			.toList();
		List<ClaimedJob> jobs = this.store.claimBatches(BatchClaim.request(worker, asked, most));
		Elapsed elapsed = new Elapsed(start, this.clock.getAsLong());
		this.services.metrics().claimed(this.pool, jobs.size(), elapsed.nanos());
		Map<BatchLine, List<ClaimedJob>> byLine = byLine(jobs, open);
		int answered = answered(open, byLine.keySet(), most);
		boolean gaveBack = giveBackOtherKeys(byLine);
		List<Batch> batches = new ArrayList<>();
		List<BatchClaim.Asked> missed = new ArrayList<>();
		for (BatchClaim.Asked each : asked.subList(0, answered)) {
			BatchLine line = each.line();
			List<ClaimedJob> items = byLine.getOrDefault(line, List.of());
			line.claimed(queues, items, elapsed);
			if (!items.isEmpty()) {
				line.takesTurn(++this.turns);
				batches.add(new Batch(this.services, items, line.route(), worker, elapsed.end(), new Running(line)));
			}
			else if (!gaveBack) {
				missed.add(each);
			}
		}
		return new BatchClaim(batches, missed, gaveBack, elapsed);
	}

	/**
	 * Leave items of one key in each batch.
	 * @return whether other items went back, so that another claim finds them
	 */
	private boolean giveBackOtherKeys(Map<BatchLine, List<ClaimedJob>> byLine) {
		boolean gaveBack = false;
		for (Map.Entry<BatchLine, List<ClaimedJob>> each : byLine.entrySet()) {
			if (each.getKey().hasKey()) {
				List<ClaimedJob> kept = this.keys.regroupIfMixed(each.getKey().route(), each.getValue());
				gaveBack |= kept.size() < each.getValue().size();
				each.setValue(kept);
			}
		}
		return gaveBack;
	}

	private Map<BatchLine, List<ClaimedJob>> byLine(List<ClaimedJob> items, List<BatchLine> lines) {
		Map<String, BatchLine> byName = new HashMap<>();
		lines.forEach((line) -> line.names().forEach((name) -> byName.put(name, line)));
		Map<BatchLine, List<ClaimedJob>> byLine = new HashMap<>();
		for (ClaimedJob item : items) {
			BatchLine line = Objects.requireNonNull(byName.get(item.name()));
			byLine.computeIfAbsent(line, (l) -> new ArrayList<>()).add(item);
		}
		return byLine;
	}

	/**
	 * How many of the lines a claim says something about. A claim that brought as many
	 * batches as it was asked for ended with the last of them, and the lines behind may
	 * have a batch that is ready as well: they are looked at when a batch ends and frees
	 * a slot.
	 */
	private static int answered(List<BatchLine> open, Set<BatchLine> claimed, int most) {
		int answered = open.size();
		while (claimed.size() >= most && !claimed.contains(open.get(answered - 1))) {
			answered--;
		}
		return answered;
	}

	/**
	 * Counts one running batch. Its end must be noted even where no memory is left, so
	 * nothing is allocated for that.
	 */
	private final class Running implements Batch.Counter {

		private final BatchLine line;

		private final AtomicBoolean inSlot = new AtomicBoolean();

		private final AtomicBoolean inLine = new AtomicBoolean();

		Running(BatchLine line) {
			this.line = line;
		}

		@Override
		public void begins() {
			this.inSlot.set(true);
			this.inLine.set(true);
			this.line.begun();
			BatchClaims.this.running.incrementAndGet();
		}

		@Override
		public void leavesSlot() {
			if (this.inSlot.compareAndSet(true, false)
					&& BatchClaims.this.running.getAndDecrement() >= BatchClaims.this.slots) {
				owe();
				BatchClaims.this.freed.run();
			}
		}

		@Override
		public void ends() {
			if (this.inLine.compareAndSet(true, false) && this.line.ended()) {
				this.line.owe();
				BatchClaims.this.freed.run();
			}
			leavesSlot();
		}

	}

}
