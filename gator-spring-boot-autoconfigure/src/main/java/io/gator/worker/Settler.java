package io.gator.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.gator.store.JobStore;
import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes outcomes in batches: when a thousand have come together, when the first one has
 * waited some milliseconds, or when nothing else runs. Keeps them as long as the database
 * is away; the lease decides then whether they still count.
 */
final class Settler implements Settlements {

	private static final Logger logger = LoggerFactory.getLogger(Settler.class);

	/** A batch is written when it is this large. */
	static final int BATCH = 1_000;

	/** A batch is never larger than this. */
	private static final int MAX_BATCH = 2_000;

	private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final String pool;

	private final JobStore store;

	private final InFlight inFlight;

	private final WorkerMetrics metrics;

	private final Listener listener;

	private final ConcurrentLinkedQueue<Outcome> queue = new ConcurrentLinkedQueue<>();

	private final AtomicInteger pending = new AtomicInteger();

	private final Sleeper sleeper = new Sleeper();

	private final OutcomeWriter writer;

	private volatile boolean closing;

	private volatile long giveUpAt;

	private volatile boolean flush;

	Settler(String pool, JobStore store, InFlight inFlight, WorkerMetrics metrics, Listener listener) {
		this.pool = pool;
		this.store = store;
		this.inFlight = inFlight;
		this.metrics = metrics;
		this.listener = listener;
		this.writer = new OutcomeWriter(pool, store, metrics, this.sleeper, this::hasGivenUp, this::landed);
	}

	@Override
	public void settle(Execution execution, Settlement settlement, Runnable landed) {
		add(new Outcome(execution, settlement, landed, null));
	}

	@Override
	public void settleUnlessDone(Execution execution, Settlement settlement, Runnable done) {
		add(new Outcome(execution, settlement, Settlements.NOTHING, done));
	}

	private void add(Outcome outcome) {
		// Counted first: an outcome that is written before it is counted would make the
		// number negative.
		int now = this.pending.incrementAndGet();
		try {
			this.queue.add(outcome);
		}
		catch (Throwable ex) {
			// Out of memory: the outcome is not in the queue, and nobody would count it
			// out again.
			this.pending.decrementAndGet();
			throw ex;
		}
		if (now == 1 || now == BATCH) {
			this.sleeper.signal();
		}
	}

	@Override
	public void settled(Execution execution, Settlement settlement) {
		this.inFlight.settled(execution);
		countNext(settlement);
		if (settlement.bringsWork()) {
			this.listener.settled(true, queues(Stream.of(settlement)), false);
		}
	}

	private void countNext(Settlement settlement) {
		Settlement.NextJob next = settlement.next();
		if (next != null) {
			this.metrics.dispatched(next.name(), next.queue(), 1);
		}
	}

	@Override
	public void lost(Execution execution) {
		this.inFlight.settled(execution);
		this.metrics.leasesLost(this.pool, 1);
	}

	/**
	 * How many outcomes are not in the database yet.
	 * @return the number
	 */
	int pending() {
		return this.pending.get();
	}

	/**
	 * What keeps it from writing.
	 * @return the trouble, or {@code null}
	 */
	PoolStatus.@Nullable Trouble trouble(long now) {
		return this.writer.trouble(now);
	}

	/**
	 * Write what there is without waiting for more.
	 */
	void flush() {
		if (this.pending.get() > 0) {
			this.flush = true;
			this.sleeper.signal();
		}
	}

	/**
	 * Let the loop end when all is written, or when the time is up.
	 * @param giveUpAt the monotonic time at which to give up
	 */
	void close(long giveUpAt) {
		this.giveUpAt = giveUpAt;
		this.closing = true;
		this.sleeper.signal();
	}

	/**
	 * Write batches until closed.
	 */
	void loop() {
		ThreadState.begin();
		while (!this.closing || this.pending.get() > 0) {
			try {
				runOnce();
			}
			catch (Throwable ex) {
				Quietly.error(logger, "Settling of pool {} met an unexpected error and goes on", this.pool, ex);
			}
			if (hasGivenUp()) {
				logger.error("{} outcomes could not be written before the end; their jobs will be run again",
						this.pending.get());
				return;
			}
		}
	}

	private boolean hasGivenUp() {
		return this.closing && this.pending.get() > 0 && System.nanoTime() - this.giveUpAt > 0;
	}

	/**
	 * Wait for a batch and write it.
	 * @return how many outcomes were written
	 */
	int runOnce() {
		awaitBatch();
		if (untilRetry() == 0) {
			this.writer.retry();
		}
		List<Outcome> batch = new ArrayList<>(MAX_BATCH);
		for (Outcome outcome = this.queue.poll(); outcome != null; outcome = this.queue.poll()) {
			batch.add(outcome);
			if (batch.size() == MAX_BATCH) {
				break;
			}
		}
		if (!batch.isEmpty()) {
			this.writer.write(batch);
		}
		return batch.size();
	}

	private static Set<String> queues(Stream<Settlement> settlements) {
		return settlements.map(Settlement::otherQueue).filter(Objects::nonNull).collect(Collectors.toSet());
	}

	private void awaitBatch() {
		while (waiting() == 0 && untilRetry() > 0 && (!this.closing || this.writer.kept() > 0)) {
			// While others are kept, nobody signals the first outcome that comes: it is
			// not the only one that is pending.
			long longest = (this.writer.kept() > 0) ? TimeUnit.MILLISECONDS.toNanos(50) : TimeUnit.SECONDS.toNanos(1);
			this.sleeper.await(Math.min(longest, untilRetry()));
		}
		long start = System.nanoTime();
		while (waiting() > 0 && waiting() < BATCH && !this.flush) {
			long left = WAIT_NANOS - (System.nanoTime() - start);
			if (left <= 0) {
				break;
			}
			this.sleeper.await(left);
		}
		this.flush = false;
	}

	private int waiting() {
		return this.pending.get() - this.writer.kept();
	}

	private long untilRetry() {
		return this.writer.untilRetry(System.nanoTime(), this.closing);
	}

	private void landed(List<Outcome> batch, Set<Long> lost, boolean answerLost) {
		for (Outcome outcome : batch) {
			this.pending.decrementAndGet();
			this.inFlight.settled(outcome.execution());
		}
		Set<Long> live = lost.isEmpty() ? lost : live(batch, lost, answerLost);
		for (Outcome outcome : batch) {
			try {
				long id = outcome.settlement().id();
				follow(outcome, lost.contains(id), live.contains(id), answerLost);
			}
			catch (Throwable ex) {
				Quietly.error(logger, "The outcome of {} is written, but what follows from it failed",
						outcome.execution(), ex);
			}
		}
		try {
			tell(batch);
		}
		catch (Throwable ex) {
			Quietly.error(logger, "Outcomes of pool {} are written, but what follows from them failed", this.pool, ex);
		}
	}

	private void tell(List<Outcome> batch) {
		boolean work = batch.stream().anyMatch((outcome) -> outcome.settlement().bringsWork());
		this.listener.settled(work, work ? queues(batch.stream().map(Outcome::settlement)) : Set.of(),
				batch.stream().anyMatch((outcome) -> outcome.settlement().isRelease()));
	}

	/**
	 * Of the outcomes that did not match their rows any more, some may have been written
	 * before, by a statement or a commit whose answer was lost. They were not if their
	 * jobs are not over.
	 * @return the ids of those whose jobs are not over
	 */
	private Set<Long> live(List<Outcome> batch, Set<Long> lost, boolean answerLost) {
		try {
			List<Long> doubtful = batch.stream()
				.filter((outcome) -> outcome.done() != null || (answerLost && outcome.settlement().endsJob()))
				.map((outcome) -> outcome.settlement().id())
				.filter(lost::contains)
				.toList();
			return doubtful.isEmpty() ? Set.of() : this.store.live(doubtful);
		}
		catch (Throwable ex) {
			// Not only errors of the store: outcomes that were taken from the queue with
			// these must not get lost when memory runs out.
			Quietly.error(logger, "Results of pool {} whose answer was lost were likely written, but nobody can tell",
					this.pool, ex);
			return Set.of();
		}
	}

	private void follow(Outcome outcome, boolean missed, boolean live, boolean answerLost) {
		Runnable done = outcome.done();
		if (missed && done != null && !live) {
			done.run();
		}
		else if (missed && (!answerLost || (live && outcome.settlement().endsJob()))) {
			this.metrics.leasesLost(this.pool, 1);
			logger.warn("The result of {} came too late and is dropped: the job is not this pool's any more",
					outcome.execution().describe());
		}
		else {
			countNext(outcome.settlement());
			outcome.landed().run();
		}
	}

	/**
	 * Told when outcomes were written.
	 */
	@FunctionalInterface
	interface Listener {

		/**
		 * Outcomes were written.
		 * @param work whether that has brought jobs of which nobody is told
		 * @param queues the queues of these jobs that other pools may serve
		 * @param back whether jobs have gone back
		 */
		void settled(boolean work, Set<String> queues, boolean back);

	}

}
