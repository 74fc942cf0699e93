package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.gator.store.JobStore;
import io.gator.store.Settlement;
import io.gator.store.StoreException;
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
	private static final int MOST = 2_000;

	private static final String UNWRITABLE = "(what came of it cannot be written)";

	private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	private final String pool;

	private final JobStore store;

	private final InFlight inFlight;

	private final WorkerMetrics metrics;

	private final Backoff backoff;

	private final ConcurrentLinkedQueue<Entry> queue = new ConcurrentLinkedQueue<>();

	private final AtomicInteger pending = new AtomicInteger();

	private final SetAside<Entry> aside = new SetAside<>();

	private final OnceAMinute warnings = new OnceAMinute();

	/** Since when outcomes are set aside and none is written. */
	private volatile @Nullable Long stuckSince;

	private final WakeUp wakeUp = new WakeUp();

	private final Listener listener;

	private volatile boolean closing;

	private volatile long giveUpAt;

	private volatile boolean flush;

	Settler(String pool, JobStore store, InFlight inFlight, WorkerMetrics metrics, Listener listener) {
		this.pool = pool;
		this.store = store;
		this.inFlight = inFlight;
		this.metrics = metrics;
		this.listener = listener;
		this.backoff = new Backoff(logger, "Settling of pool " + pool);
	}

	@Override
	public void settle(Execution execution, Settlement settlement, Runnable landed) {
		add(new Entry(execution, settlement, landed, null, null));
	}

	@Override
	public void settleUnlessDone(Execution execution, Settlement settlement, Runnable done) {
		add(new Entry(execution, settlement, Settlements.NOTHING, done, null));
	}

	private void add(Entry entry) {
		this.queue.add(entry);
		int now = this.pending.incrementAndGet();
		if (now == 1 || now == BATCH) {
			this.wakeUp.signal();
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
		Settlement.Link next = settlement.next();
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
	 * @param now the monotonic time
	 * @return the trouble, or {@code null}
	 */
	PoolStatus.@Nullable Trouble trouble(long now) {
		Long since = this.stuckSince;
		PoolStatus.Trouble stuck = (since != null)
				? new PoolStatus.Trouble(Duration.ofNanos(Math.max(0, now - since)), true) : null;
		return PoolStatus.Trouble.worse(this.backoff.trouble(now), stuck);
	}

	/**
	 * Write what there is without waiting for more.
	 */
	void flush() {
		if (this.pending.get() > 0) {
			this.flush = true;
			this.wakeUp.signal();
		}
	}

	/**
	 * Let the loop end when all is written, or when the time is up.
	 * @param giveUpAt the monotonic time at which to give up
	 */
	void close(long giveUpAt) {
		this.giveUpAt = giveUpAt;
		this.closing = true;
		this.wakeUp.signal();
	}

	/**
	 * Write batches until closed.
	 */
	void loop() {
		while (!this.closing || this.pending.get() > 0) {
			try {
				runOnce();
			}
			catch (Throwable ex) {
				logger.error("Settling of pool {} met an unexpected error and goes on", this.pool, ex);
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
		if (untilAside() == 0) {
			retry();
		}
		List<Entry> batch = new ArrayList<>(Math.min(MOST, this.pending.get()));
		for (Entry entry = this.queue.poll(); entry != null; entry = this.queue.poll()) {
			batch.add(entry);
			if (batch.size() == MOST) {
				break;
			}
		}
		if (batch.isEmpty()) {
			return 0;
		}
		write(batch);
		return batch.size();
	}

	private void write(List<Entry> batch) {
		byKind(batch).forEach(this::write);
		// What was set aside is neither a success nor a failure.
		this.backoff.ends();
		boolean work = batch.stream().anyMatch((entry) -> entry.settlement().bringsWork());
		this.listener.settled(work, work ? queues(batch.stream().map(Entry::settlement)) : Set.of(),
				batch.stream().anyMatch((entry) -> entry.settlement().goesBack()));
	}

	private static Set<String> queues(Stream<Settlement> settlements) {
		return settlements.map(Settlement::workIn).filter(Objects::nonNull).collect(Collectors.toSet());
	}

	private void awaitBatch() {
		while (waiting() == 0 && untilAside() > 0 && (!this.closing || this.aside.size() > 0)) {
			// Nobody signals the first outcome while others are kept.
			long longest = (this.aside.size() > 0) ? TimeUnit.MILLISECONDS.toNanos(50) : TimeUnit.SECONDS.toNanos(1);
			this.wakeUp.await(Math.min(longest, untilAside()));
		}
		long start = System.nanoTime();
		while (waiting() > 0 && waiting() < BATCH && !this.flush && !this.closing) {
			long left = WAIT_NANOS - (System.nanoTime() - start);
			if (left <= 0) {
				break;
			}
			this.wakeUp.await(left);
		}
		this.flush = false;
	}

	private int waiting() {
		return this.pending.get() - this.aside.size();
	}

	private long untilAside() {
		return this.aside.untilDue(System.nanoTime(), this.closing);
	}

	/**
	 * Write what was set aside, but for the rows that somebody still holds.
	 */
	private void retry() {
		List<Entry> again = this.aside.take();
		try {
			Rows rows = rows(again);
			rows.held().forEach(this::setAside);
			write(rows.free());
		}
		catch (StoreException ex) {
			again.forEach(this::setAside);
			this.wakeUp.awaitMillis(this.backoff.failed(ex));
		}
		this.aside.tried();
	}

	private Rows rows(List<Entry> entries) {
		Set<Long> ids = this.store.held(entries.stream().map((entry) -> entry.settlement().id()).toList());
		Rows rows = new Rows(new ArrayList<>(), new ArrayList<>());
		for (Entry entry : entries) {
			(ids.contains(entry.settlement().id()) ? rows.held : rows.free).add(entry);
		}
		return rows;
	}

	private void setAside(Entry entry) {
		this.aside.add(entry.asItWas(), System.nanoTime());
	}

	private static Map<Class<? extends Settlement>, List<Entry>> byKind(List<Entry> batch) {
		Map<Class<? extends Settlement>, List<Entry>> kinds = new LinkedHashMap<>();
		for (Entry entry : batch) {
			kinds.computeIfAbsent(entry.settlement().getClass(), (kind) -> new ArrayList<>()).add(entry);
		}
		return kinds;
	}

	private <S extends Settlement> void write(Class<S> kind, List<Entry> batch) {
		List<S> settlements = new ArrayList<>(batch.size());
		for (Entry entry : batch) {
			settlements.add(kind.cast(entry.settlement()));
		}
		boolean unsure = false;
		while (true) {
			long start = System.nanoTime();
			this.backoff.begins(start);
			try {
				Set<Long> lost = this.store.settle(kind, settlements);
				this.backoff.succeeded();
				this.stuckSince = null;
				this.metrics.settled(this.pool, batch.size() - lost.size(), System.nanoTime() - start);
				landed(batch, lost, unsure);
				return;
			}
			catch (StoreException ex) {
				if (ex.kind() == StoreException.Kind.DATA) {
					writeApart(kind, batch, ex);
					return;
				}
				if (writtenWithoutSome(kind, batch, ex)) {
					return;
				}
				// Once an answer was lost, a row that does not match any more was most
				// likely settled by that very statement.
				unsure |= ex.isOutcomeUnknown();
				this.wakeUp.awaitMillis(this.backoff.failed(ex));
			}
			catch (Throwable ex) {
				// Out of memory, say. What was taken from the queue must not get lost.
				unsure = true;
				this.wakeUp.awaitMillis(this.backoff.failed(ex));
			}
			if (hasGivenUp()) {
				return;
			}
		}
	}

	/**
	 * One row must not keep the others from being written: one that somebody holds, or
	 * that a trigger refuses.
	 * @return whether the batch is written as far as it can be
	 */
	private <S extends Settlement> boolean writtenWithoutSome(Class<S> kind, List<Entry> batch, StoreException reason) {
		if (reason.mayConcernOneRow()) {
			if (batch.size() > 1) {
				halve(kind, batch);
			}
			else {
				setAside(batch, reason);
			}
			return true;
		}
		if (!reason.isTimeout()) {
			return false;
		}
		Rows rows;
		try {
			rows = rows(batch);
		}
		catch (StoreException ex) {
			return false;
		}
		if (rows.held().isEmpty()) {
			return false;
		}
		setAside(rows.held(), reason);
		if (!rows.free().isEmpty()) {
			write(kind, rows.free());
		}
		return true;
	}

	private <S extends Settlement> void halve(Class<S> kind, List<Entry> batch) {
		int half = batch.size() / 2;
		write(kind, new ArrayList<>(batch.subList(0, half)));
		write(kind, new ArrayList<>(batch.subList(half, batch.size())));
	}

	private void setAside(List<Entry> entries, StoreException reason) {
		if (this.warnings.isDue()) {
			logger.warn(
					"The outcomes of {} jobs cannot be written for now, such as that of {}; they are kept and "
							+ "tried again: {}",
					entries.size(), entries.get(0).execution().describe(), reason.getMessage());
		}
		if (this.stuckSince == null) {
			this.stuckSince = System.nanoTime();
		}
		entries.forEach(this::setAside);
	}

	/**
	 * A value was refused: the others of the batch must land all the same.
	 */
	private <S extends Settlement> void writeApart(Class<S> kind, List<Entry> batch, StoreException reason) {
		if (batch.size() > 1) {
			halve(kind, batch);
			return;
		}
		Entry entry = batch.get(0);
		Settlement less = entry.settlement().withoutTexts(UNWRITABLE);
		if (!less.equals(entry.settlement())) {
			logger.warn("The outcome of {} is written without its texts: {}", entry.execution().describe(),
					reason.getMessage());
			writeAlone(entry.instead(less, entry.landed(), entry.done()));
			return;
		}
		Settlement.Died died = new Settlement.Died(less.id(), less.lease(), UNWRITABLE, true, null);
		if (died.equals(less)) {
			setAside(batch, reason);
			return;
		}
		// Left as it is the job would seem to run for as long as its pool lives.
		logger.error("The outcome of {} cannot be written: {}", entry.execution().describe(), reason.getMessage());
		writeAlone(entry.instead(died, Settlements.NOTHING, null));
	}

	private void writeAlone(Entry entry) {
		write(entry.settlement().getClass(), new ArrayList<>(List.of(entry)));
	}

	private void drop(Entry entry) {
		this.pending.decrementAndGet();
		this.inFlight.settled(entry.execution());
	}

	private void landed(List<Entry> batch, Set<Long> lost, boolean unsure) {
		int late = 0;
		for (Entry entry : batch) {
			drop(entry);
			boolean missed = !lost.isEmpty() && lost.contains(entry.settlement().id());
			if (missed && entry.done() != null) {
				tell(entry, entry.done());
			}
			else if (missed && !unsure) {
				late++;
				logger.warn("The result of {} came too late and is dropped: the job is not this pool's any more",
						entry.execution().describe());
			}
			else {
				countNext(entry.settlement());
				if (entry.landed() != Settlements.NOTHING) {
					tell(entry, entry.landed());
				}
			}
		}
		if (late > 0) {
			this.metrics.leasesLost(this.pool, late);
		}
	}

	/**
	 * What it throws must not look like a failure to write, or the batch would be written
	 * again and counted twice.
	 */
	private void tell(Entry entry, Runnable what) {
		try {
			what.run();
		}
		catch (Throwable ex) {
			logger.error("The outcome of {} is written, but what follows from it failed", entry.execution().describe(),
					ex);
		}
	}

	/**
	 * Outcomes, by what their rows are at the moment.
	 *
	 * @param held those of rows that somebody holds
	 * @param free the others
	 */
	private record Rows(List<Entry> held, List<Entry> free) {

	}

	/**
	 * An outcome to write.
	 *
	 * @param execution whose it is
	 * @param settlement what to write
	 * @param landed called when it is written
	 * @param done called if the job was settled already, or {@code null} if that is too
	 * late
	 * @param original what could not be written as it was, or {@code null}
	 */
	private record Entry(Execution execution, Settlement settlement, Runnable landed, @Nullable Runnable done,
			@Nullable Entry original) {

		Entry instead(Settlement other, Runnable landed, @Nullable Runnable done) {
			return new Entry(this.execution, other, landed, done, asItWas());
		}

		Entry asItWas() {
			return (this.original != null) ? this.original : this;
		}

	}

	/**
	 * Told when a batch was written.
	 */
	@FunctionalInterface
	interface Listener {

		/**
		 * A batch was written, as far as it could be.
		 * @param work whether it has brought jobs that nobody knows of
		 * @param queues those of these jobs that may be other pools'
		 * @param back whether jobs have gone back
		 */
		void settled(boolean work, Set<String> queues, boolean back);

	}

}
