package io.gator.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

import io.gator.routing.BufferSpec;
import io.gator.routing.Route;
import io.gator.routing.Routes;
import io.gator.store.ClaimRequest;
import io.gator.store.JobStore;
import io.gator.store.LookRequest;

/**
 * The lines of all buffered jobs of a pool: which of them may have another batch, when a
 * look for one is due, and where it begins. Used by the poller; the ends of batches are
 * told by the threads of their slots.
 */
final class BatchLines {

	private final Reach reach;

	private final IntSupplier slots;

	private final Runnable freed;

	private final LongSupplier clock;

	private final List<BatchLine> all = new ArrayList<>();

	/**
	 * Where the first item of any job waits. Behind a backlog of single jobs each claim
	 * would walk over all of it once for every job, until it takes longer than a
	 * statement may, and all single jobs would wait for that.
	 */
	private final KeyedMarks marks;

	/** The batches of all jobs. */
	private final AtomicInteger running = new AtomicInteger();

	/**
	 * Create the lines of a pool.
	 * @param store where items wait
	 * @param routes the jobs, buffered ones and others
	 * @param reach how far back to look for items
	 * @param slots how many batches run at once at most
	 * @param freed called when a batch ends that kept another one from being claimed
	 * @param clock the monotonic time
	 */
	BatchLines(JobStore store, Routes routes, Reach reach, IntSupplier slots, Runnable freed, LongSupplier clock) {
		this.reach = reach;
		this.slots = slots;
		this.freed = freed;
		this.clock = clock;
		this.marks = KeyedMarks.ofAll(store, names(routes), reach, clock);
		for (Route route : routes.all()) {
			BufferSpec spec = route.buffered();
			if (spec != null) {
				this.all.add(new BatchLine(route, spec, reach, this.marks));
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
	 * All jobs that may have another batch, however few slots are free: a job that is
	 * left out may be the only one that has something to do. The job that had a batch
	 * last stands last, or those before it would have all the slots.
	 * @return their lines
	 */
	List<BatchLine> open() {
		if (free() <= 0) {
			return List.of();
		}
		return this.all.stream().filter(BatchLine::isOpen).sorted(Comparator.comparingLong(BatchLine::turn)).toList();
	}

	/**
	 * Whether a claim would ask for anything.
	 * @return {@code false} if no job may have another batch
	 */
	boolean areOpen() {
		return !open().isEmpty();
	}

	/**
	 * How many slots no batch has.
	 * @return the number; 0 or less if there is none
	 */
	int free() {
		return this.slots.getAsInt() - this.running.get();
	}

	/**
	 * How many batches may run beside those that already do.
	 * @return the number; 0 or less if none may
	 */
	int most() {
		// Jobs may allow any number of batches.
		long open = this.all.stream().mapToLong(BatchLine::free).filter((free) -> free > 0).sum();
		return (int) Math.min(free(), open);
	}

	/**
	 * Create what counts a batch from its begin to its end.
	 * @param line the line of its job
	 * @return the counter, for this batch alone
	 */
	Batch.Counter counter(BatchLine line) {
		return new Running(line);
	}

	/**
	 * Note that there may be items that were not there before.
	 */
	void woken() {
		long now = this.clock.getAsLong();
		this.all.forEach((line) -> line.woken(now));
	}

	/**
	 * Note that there may be a batch of each job.
	 */
	void owe() {
		for (int i = 0; i < this.all.size(); i++) {
			this.all.get(i).owe();
		}
	}

	/**
	 * Note that no look is owed, as no queue is served.
	 */
	void oweNothing() {
		long now = this.clock.getAsLong();
		this.all.forEach((line) -> line.owesNothing(now));
	}

	/**
	 * Move the marks that looks move, before a look.
	 * @param queues the queues that are served
	 */
	void moveMarks(Collection<String> queues) {
		moveMarks(queues, open());
	}

	/**
	 * Move the marks that looks move, before a claim.
	 * @param queues the queues that are served
	 * @param asked the jobs that are asked for
	 */
	void moveMarks(Collection<String> queues, List<BatchLine> asked) {
		if (this.marks.moveIfDue(queues)) {
			// What it has found may lie behind the marks of its job as well, whose sweeps
			// began where these marks were.
			long now = this.clock.getAsLong();
			this.all.forEach((line) -> line.sweepNow(now));
		}
		asked.forEach((line) -> line.moveMarks(queues));
	}

	/**
	 * How long claims have to wait for the marks that all jobs have in common.
	 * @return nanoseconds; 0 or less if they need not
	 */
	long untilMarked() {
		return this.marks.untilSet(this.clock.getAsLong());
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
			return new ClaimRequest.Share(queue, 1, after, dueAfter());
		}).toList());
		return new BatchLook(request, queues, open);
	}

	/**
	 * When the first delayed items that are looked for were due.
	 * @return the time, in seconds since the epoch
	 */
	double dueAfter() {
		return this.reach.afterDue();
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
	 * How long until claims find what was behind the marks at some time.
	 * @param then the time, which is before the last claim
	 * @return nanoseconds; 0 if they have seen all
	 */
	long untilAllIsSeen(long then, long now) {
		return this.all.stream().mapToLong((line) -> line.untilAllIsSeen(then, now)).max().orElse(0);
	}

	/**
	 * Let the next claims look behind the marks, because items went back.
	 */
	void sweepSoon() {
		this.all.forEach(BatchLine::sweepSoon);
	}

	/**
	 * Forget queues that are not known any more.
	 * @param queues those that are known
	 */
	void retain(Set<String> queues) {
		this.all.forEach((line) -> line.retain(queues));
		this.marks.retain(queues);
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
			BatchLines.this.running.incrementAndGet();
		}

		@Override
		public void leavesSlot() {
			if (this.inSlot.compareAndSet(true, false)
					&& BatchLines.this.running.getAndDecrement() >= BatchLines.this.slots.getAsInt()) {
				owe();
				BatchLines.this.freed.run();
			}
		}

		@Override
		public void ends() {
			if (this.inLine.compareAndSet(true, false) && this.line.ended()) {
				this.line.owe();
				BatchLines.this.freed.run();
			}
			leavesSlot();
		}

	}

}
