package io.gator.worker;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.gator.store.WorkerStore;

/**
 * A poller without a thread, which goes step by step, by the clock of its store. Nothing
 * runs what it claims.
 */
final class TestPoller implements AutoCloseable {

	private final TestServices services;

	private final Buffer buffer = new Buffer();

	private final Settler settler;

	private final Prefetch prefetch;

	private final Load load;

	private final InFlight inFlight = new InFlight();

	private final Pools pools;

	private final Membership membership;

	private final Poller poller;

	TestPoller(PoolSettings settings, FakeJobStore store, Class<?>... jobs) {
		this.services = new TestServices(store, jobs);
		this.settler = new Settler(settings.name(), store, this.inFlight, WorkerMetrics.NONE, (work, queues, back) -> {
		});
		this.prefetch = new Prefetch(settings::concurrency, settings.prefetch().toNanos());
		this.load = new Load(settings, settings::concurrency, this.buffer, this.inFlight, this.settler, this.prefetch);
		this.pools = new Pools(settings.queues().keySet());
		KnownQueues queues = new KnownQueues(this.pools, settings, Set.of());
		WorkerStore.Registration registration = new WorkerStore.Registration(settings.name(), "here", 1,
				settings.heartbeat(), settings.lease(), List.of(), this.services.get().routes().names(),
				settings.concurrency());
		this.membership = new Membership(this.pools, registration, queues, this.inFlight, settings::concurrency,
				Duration.ofSeconds(10), () -> false);
		this.poller = new Poller(settings, this.services.get(), this.membership, queues, settings::concurrency,
				this.load, store::now);
	}

	long runOnce() {
		return this.poller.runOnce();
	}

	/** Go on and on, until it is stopped. */
	void loop() {
		this.poller.loop();
	}

	void wake(List<String> queues) {
		this.poller.wake(queues);
	}

	/** What keeps it from claiming, as somebody sees it who looks a minute from now. */
	PoolStatus.Trouble trouble() {
		return this.poller.trouble(System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
	}

	/** Under how many identities it has claimed. */
	long identities() {
		return this.pools.identities;
	}

	/** The pool is stopped, but not yet what it has claimed. */
	void stop() {
		this.poller.stop();
	}

	/** Jobs turn out to be so short that many are claimed ahead. */
	void learnOfShortJobs() {
		learnOfJobs(Duration.ofNanos(1));
	}

	/** That is how long jobs turn out to be. */
	void learnOfJobs(Duration time) {
		this.prefetch.ran(time.toNanos());
	}

	/** How many jobs wait for a slot. */
	int waiting() {
		return this.load.buffered();
	}

	/** Write what was settled. */
	void settle() {
		this.settler.runOnce();
	}

	void finished() {
		this.load.finished();
		this.poller.worked();
	}

	void wentBack() {
		this.poller.wentBack();
	}

	/** Start what was claimed. It does not end by itself. */
	void startClaimed() {
		while (this.buffer.poll() != null) {
			// Nobody runs it.
		}
	}

	/** The first of what was claimed, which a slot starts. */
	Execution startOne() throws InterruptedException {
		return Objects.requireNonNull(this.buffer.take());
	}

	/** Let a slot run what it has started, to its end. */
	void run(Execution started) {
		started.run(this.settler);
		this.load.finished();
	}

	/** Run what was claimed and not started, as a slot would. */
	void runClaimed() throws InterruptedException {
		while (this.buffer.size() > 0) {
			run(startOne());
		}
	}

	/** The pool's claim was not answered: nobody knows what it brought. */
	void loseAnswer() {
		this.membership.renew();
	}

	/**
	 * The pool could not beat for so long that it gives up the identity it claims under.
	 */
	void fence() {
		this.membership.fence(System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
	}

	/** Somebody pauses or resumes a queue, and the pool hears of it with its beat. */
	void pause(String queue, boolean paused) {
		this.pools.queues.put(queue, paused);
		this.membership.beat(0);
	}

	/** Somebody dispatches to a queue that this pool has not heard of. */
	void use(String queue) {
		this.pools.queues.put(queue, false);
	}

	/**
	 * Nobody has used a queue for a day, and the pool hears of it with its beats: after
	 * the first one it looks whether the queue has jobs all the same.
	 */
	void forget(String queue) {
		this.pools.queues.remove(queue);
		this.membership.beat(0);
		this.membership.beat(0);
	}

	/** What others are told that the pool serves. */
	Collection<String> told() {
		return this.pools.told;
	}

	/** Somebody cancels jobs, and the pool hears of it with its beat. */
	void cancel(Long... ids) {
		this.pools.cancelled = Set.of(ids);
		this.membership.beat(0);
		this.pools.cancelled = Set.of();
	}

	/** The ids of the jobs in flight that were stopped for a reason. */
	Set<Long> stopped(Execution.Stop reason) {
		return this.inFlight.all()
			.stream()
			.filter((execution) -> execution.stopReason() == reason)
			.flatMap((execution) -> execution.ids().stream())
			.collect(Collectors.toSet());
	}

	@Override
	public void close() {
		this.services.close();
	}

	/** Where this pool is the only one. */
	private static final class Pools implements WorkerStore {

		private final Map<String, Boolean> queues = new HashMap<>();

		private volatile long identities;

		private Collection<String> told = List.of();

		Set<Long> cancelled = Set.of();

		Pools(Collection<String> queues) {
			queues.forEach((queue) -> this.queues.put(queue, false));
		}

		@Override
		public long register(Registration worker) {
			this.identities++;
			return this.identities;
		}

		@Override
		public Beat beat(long worker, int slots, int busy, Collection<String> queues, Collection<Long> heard) {
			this.told = List.copyOf(queues);
			return new Beat(true, this.cancelled, this.queues, false, "");
		}

		@Override
		public boolean isRefused() {
			return false;
		}

		@Override
		public void retire(long worker) {
			throw new UnsupportedOperationException();
		}

		@Override
		public List<Long> rescue(Collection<Long> alive, boolean byLocks) {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean isOldest(Collection<Long> alive) {
			throw new UnsupportedOperationException();
		}

		@Override
		public List<Long> rescueOrphans() {
			throw new UnsupportedOperationException();
		}

		@Override
		public void registerQueues(Collection<String> queues) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void registerHeardQueues(Collection<String> queues) {
			// They have no jobs.
		}

		@Override
		public int registerMissingQueues() {
			throw new UnsupportedOperationException();
		}

		@Override
		public int forgetUnusedQueues() {
			throw new UnsupportedOperationException();
		}

	}

}
