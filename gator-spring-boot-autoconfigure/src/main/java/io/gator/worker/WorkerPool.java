package io.gator.worker;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.gator.store.Notifications;
import io.gator.store.WorkerStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of slots that serves queues. Thread-safe; can be started again after a stop.
 */
public final class WorkerPool {

	private static final Logger logger = LoggerFactory.getLogger(WorkerPool.class);

	private final PoolSettings settings;

	private final WorkerStore workers;

	private final AttemptServices services;

	private final Consumer<Collection<String>> neighbours;

	private final Object lifecycle = new Object();

	private volatile @Nullable PoolRun run;

	private volatile int concurrency;

	private volatile boolean lockExpected;

	/**
	 * Create a pool.
	 * @param settings how it works
	 * @param workers where it keeps its identity
	 * @param services what its attempts need
	 * @param neighbours wakes the pools of this process that serve certain queues
	 */
	WorkerPool(PoolSettings settings, WorkerStore workers, AttemptServices services,
			Consumer<Collection<String>> neighbours) {
		this.settings = settings;
		this.concurrency = settings.concurrency();
		this.workers = workers;
		this.services = services;
		this.neighbours = neighbours;
	}

	/**
	 * The name of the pool.
	 * @return the name
	 */
	public String name() {
		return this.settings.name();
	}

	/**
	 * How the pool works.
	 * @return its settings
	 */
	public PoolSettings settings() {
		return this.settings;
	}

	/**
	 * Make the queues known that are configured or that a job names, before anything is
	 * dispatched to them. A beat that misses one of them does it again.
	 */
	public void registerQueues() {
		this.workers.registerQueues(namedQueues());
	}

	private Set<String> namedQueues() {
		Set<String> queues = new TreeSet<>(this.settings.queues().keySet());
		queues.remove(PoolSettings.ALL);
		this.services.routes().all().forEach((route) -> queues.add(route.queue()));
		return queues;
	}

	/**
	 * Begin to claim and run jobs. Does nothing if that has begun.
	 */
	public void start() {
		synchronized (this.lifecycle) {
			if (this.run != null) {
				return;
			}
			PoolRun started = new PoolRun(this.settings, this::concurrency, this.workers, this.services, namedQueues(),
					() -> this.lockExpected, this.neighbours);
			this.run = started;
			started.start();
			logger.info("Pool {} serves {} with {} {}", this.settings.name(), describeQueues(), this.concurrency,
					this.settings.virtualThreads() ? "virtual slots" : "slots");
		}
	}

	private String describeQueues() {
		return this.settings.queues().isEmpty() ? "all queues" : "queues " + this.settings.queues();
	}

	/**
	 * Stop claiming, let running jobs end, settle, leave. Takes the shutdown time-out and
	 * some seconds at most.
	 */
	public void stop() {
		synchronized (this.lifecycle) {
			PoolRun stopped = this.run;
			if (stopped == null) {
				return;
			}
			long start = System.nanoTime();
			stopped.stop();
			this.run = null;
			logger.info("Pool {} has stopped after {} ms", this.settings.name(),
					TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
		}
	}

	/**
	 * How many slots the pool has, or will have once it is started.
	 * @return the number
	 */
	public int concurrency() {
		return this.concurrency;
	}

	/**
	 * Change the number of slots, also while the pool runs. What runs is not disturbed:
	 * slots that are too many end with their jobs.
	 * @param concurrency the number, at least 1
	 */
	public void resize(int concurrency) {
		int before = this.concurrency;
		this.concurrency = concurrency;
		PoolRun current = this.run;
		if (current != null) {
			current.resize();
		}
		logger.info("Pool {} has {} slots now, and had {}", this.settings.name(), concurrency, before);
	}

	/**
	 * Say that there may be work.
	 * @param queues where, if that is known; {@link Notifications#ANYWHERE} may be among
	 * them
	 */
	public void wake(Collection<String> queues) {
		PoolRun current = this.run;
		if (current != null && concerns(queues)) {
			current.wake(queues);
		}
	}

	private boolean concerns(Collection<String> queues) {
		for (String queue : queues) {
			if (queue.equals(Notifications.ANYWHERE) || this.settings.serves(queue)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Say that the pool lives. Called regularly.
	 * @return whether another pool has missed its beats
	 */
	public boolean beat() {
		PoolRun current = this.run;
		return current != null && current.beat();
	}

	/**
	 * Note whether a listener is there that takes the lock which shows the pool's life.
	 * @param expected whether the first claim is to wait for it
	 */
	void expectLock(boolean expected) {
		this.lockExpected = expected;
	}

	/**
	 * Note that the lock that shows the life of an identity was asked for.
	 * @param worker the identity, of whichever pool
	 */
	void lockAsked(long worker) {
		PoolRun current = this.run;
		if (current != null) {
			current.membership().lockAsked(worker);
		}
	}

	/**
	 * Note that the session with the lock of an identity is gone.
	 * @param worker the identity, of whichever pool
	 * @param ended whether the server ended the session, and said so
	 */
	void lockLost(long worker, boolean ended) {
		PoolRun current = this.run;
		if (current != null) {
			current.membership().lockLost(worker, ended);
		}
	}

	/**
	 * The identities under which the pool holds jobs.
	 * @return their ids
	 */
	public Collection<Long> identities() {
		PoolRun current = this.run;
		return (current != null) ? current.membership().identities() : List.of();
	}

	/**
	 * How the pool is.
	 * @return its status
	 */
	public PoolStatus status() {
		PoolRun current = this.run;
		return (current != null) ? current.status() : new PoolStatus(this.settings.name(), false, false, 0,
				this.concurrency, 0, 0, 0, null, this.settings.lease(), null);
	}

}
