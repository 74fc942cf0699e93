package io.gator.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.gator.routing.BufferSpec;
import io.gator.routing.Route;
import io.gator.store.BatchRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;

/**
 * Claims the batches of buffered jobs, as many at once of each job as it allows. Used by
 * the poller.
 */
final class BatchClaims {

	/** Whoever dispatches one by one must not have the line looked at for each. */
	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** With a key, items of several batches stand in the line one behind another. */
	private static final int WINDOWS_WITH_KEY = 10;

	private final JobStore store;

	private final Attempts attempts;

	private final String pool;

	private final int slots;

	private final Runnable freed;

	private final Map<String, Line> lines = new HashMap<>();

	private long nextLook = System.nanoTime();

	private boolean postponed;

	/**
	 * Create the claims of a pool.
	 * @param store claims
	 * @param attempts what batches need
	 * @param settings the pool
	 * @param freed called when a batch ends that kept another one from being claimed
	 */
	BatchClaims(JobStore store, Attempts attempts, PoolSettings settings, Runnable freed) {
		this.store = store;
		this.freed = freed;
		this.pool = settings.name();
		this.slots = settings.concurrency();
		this.attempts = attempts;
		for (Route route : attempts.routes().all()) {
			BufferSpec spec = route.buffered();
			if (spec != null) {
				Set<String> names = new HashSet<>(route.aliases());
				names.add(route.name());
				int window = (spec.key() != null) ? WINDOWS_WITH_KEY * spec.size() : spec.size();
				this.lines.put(route.name(), new Line(route, spec.maxConcurrent(),
						new BatchRequest.Buffered(names, spec.size(), spec.maxWait(), window), new AtomicInteger()));
			}
		}
	}

	/**
	 * Claim the batches that are ready. They are not counted against the room of the
	 * others: behind a backlog of those there would never be any.
	 * @param worker the identity to claim under
	 * @param queues the queues that are served
	 * @param taker takes the batches of each claim, before the next one can fail; never
	 * more in all than there are slots
	 */
	void claim(long worker, Collection<String> queues, Consumer<List<Batch>> taker) {
		// Nothing is owed to a queue that is paused meanwhile, or the poller would not
		// sleep.
		this.postponed = false;
		if (this.lines.isEmpty() || queues.isEmpty()) {
			return;
		}
		while (true) {
			List<BatchRequest.Buffered> open = open();
			this.postponed = !open.isEmpty() && System.nanoTime() - this.nextLook < 0;
			if (open.isEmpty() || this.postponed) {
				return;
			}
			List<ClaimedJob> jobs = claim(new BatchRequest(worker, queues, open));
			if (jobs.isEmpty()) {
				this.nextLook = System.nanoTime() + PAUSE_NANOS;
				return;
			}
			taker.accept(batches(worker, jobs));
		}
	}

	/**
	 * How long until a look is due that came too early.
	 * @param now the monotonic time
	 * @return nanoseconds; {@link Long#MAX_VALUE} if none is
	 */
	long untilLook(long now) {
		return this.postponed ? Math.max(0, this.nextLook - now) : Long.MAX_VALUE;
	}

	private List<BatchRequest.Buffered> open() {
		return this.lines.values()
			.stream()
			.filter(Line::isOpen)
			.limit(Math.max(0, this.slots - running()))
			.map(Line::request)
			.toList();
	}

	private int running() {
		return this.lines.values().stream().mapToInt((line) -> line.running().get()).sum();
	}

	private void ended(Line line) {
		boolean full = !line.isOpen() || running() >= this.slots;
		line.running().decrementAndGet();
		if (full) {
			this.freed.run();
		}
	}

	private List<ClaimedJob> claim(BatchRequest request) {
		long start = System.nanoTime();
		List<ClaimedJob> jobs = this.store.claimBatches(request);
		this.attempts.metrics().claimed(this.pool, jobs.size(), System.nanoTime() - start);
		return jobs;
	}

	private List<Batch> batches(long worker, List<ClaimedJob> jobs) {
		Map<String, List<ClaimedJob>> byName = new HashMap<>();
		for (ClaimedJob job : jobs) {
			Route route = Objects.requireNonNull(this.attempts.routes().find(job.name()));
			byName.computeIfAbsent(route.name(), (name) -> new ArrayList<>()).add(job);
		}
		List<Batch> batches = new ArrayList<>();
		long now = System.nanoTime();
		byName.forEach((name, items) -> {
			Line line = Objects.requireNonNull(this.lines.get(name));
			line.running().incrementAndGet();
			batches.add(new Batch(this.attempts, items, line.route(), worker, now, () -> ended(line)));
		});
		return batches;
	}

	/**
	 * The line of one buffered job.
	 */
	private record Line(Route route, int maxConcurrent, BatchRequest.Buffered request, AtomicInteger running) {

		boolean isOpen() {
			return this.running.get() < this.maxConcurrent;
		}

	}

}
