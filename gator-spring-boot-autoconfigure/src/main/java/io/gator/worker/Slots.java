package io.gator.worker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * The threads that run jobs. Each thread loops: take an execution, run it, tell.
 */
final class Slots {

	private static final Logger logger = LoggerFactory.getLogger(Slots.class);

	/** How long an interrupted handler has before its slot is replaced. */
	private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

	/** How long a slot waits for memory before it tries again what has failed. */
	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final PoolSettings settings;

	private final IntSupplier concurrency;

	private final Buffer buffer;

	private final Settlements settlements;

	private final Prefetch prefetch;

	private final IntConsumer done;

	private final Executor threads;

	private final List<Slot> slots = new CopyOnWriteArrayList<>();

	private final AtomicInteger busy = new AtomicInteger();

	private final AtomicInteger stuck = new AtomicInteger();

	private volatile boolean stopping;

	Slots(PoolSettings settings, IntSupplier concurrency, Buffer buffer, Settlements settlements, Prefetch prefetch,
			IntConsumer done) {
		this(settings, concurrency, buffer, settlements, prefetch, done, threads(settings));
	}

	Slots(PoolSettings settings, IntSupplier concurrency, Buffer buffer, Settlements settlements, Prefetch prefetch,
			IntConsumer done, Executor threads) {
		this.settings = settings;
		this.concurrency = concurrency;
		this.buffer = buffer;
		this.settlements = settlements;
		this.prefetch = prefetch;
		this.done = done;
		this.threads = threads;
	}

	private static Executor threads(PoolSettings settings) {
		SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("gator-" + settings.name() + '-');
		threads.setVirtualThreads(settings.virtualThreads());
		return threads;
	}

	void start() {
		fill();
	}

	/**
	 * Have as many slots as there should be now: add some, or let some end once they have
	 * nothing to run.
	 */
	void fit() {
		fill();
		this.buffer.wake(Math.max(0, surplus()));
	}

	/**
	 * Add the slots that are missing. One whose thread cannot be started is tried again
	 * with the next call.
	 */
	private synchronized void fill() {
		while (surplus() < 0 && !this.stopping) {
			add();
		}
	}

	private int surplus() {
		// Those that are stuck were replaced, and are there all the same.
		return this.slots.size() - this.stuck.get() - this.concurrency.getAsInt();
	}

	private void add() {
		Slot slot = new Slot();
		// Before it runs, or it could end before it is added, or wait unseen by stop().
		this.slots.add(slot);
		try {
			this.threads.execute(slot);
		}
		catch (Throwable ex) {
			this.slots.remove(slot);
			throw ex;
		}
	}

	/**
	 * How many slots run something.
	 * @return the number
	 */
	int busy() {
		return this.busy.get();
	}

	/**
	 * How many handlers ignore that they were interrupted.
	 * @return the number
	 */
	int stuck() {
		return this.stuck.get();
	}

	/**
	 * Put slots in place of those whose handlers ignore that they were interrupted. No
	 * more are added than the pool has, or a job that hangs would eat all threads.
	 */
	void replaceStuck(long now) {
		for (Slot slot : this.slots) {
			Execution execution = slot.current;
			if (execution != null && !slot.replaced && execution.ignoring(now) > PATIENCE_NANOS && !this.stopping) {
				if (slot.reported != execution) {
					slot.reported = execution;
					logger.warn("The handler of {} ignores its interrupt", execution.describe());
				}
				if (this.stuck.get() < this.concurrency.getAsInt() && slot.replace(execution)) {
					this.stuck.incrementAndGet();
					execution.slotReplaced();
					this.done.accept(this.busy.decrementAndGet());
				}
			}
		}
		fill();
	}

	synchronized void stop() {
		this.stopping = true;
		this.buffer.wake(this.slots.size());
	}

	private final class Slot implements Runnable {

		private volatile @Nullable Execution current;

		/** What was said to ignore its interrupt. Used by the timer. */
		private @Nullable Execution reported;

		private volatile boolean replaced;

		@Override
		public void run() {
			try {
				while (!Slots.this.stopping && !this.replaced && !endsAsSurplus()) {
					try {
						// Within the loop, because there may be no memory for it yet.
						ThreadState.begin();
						step();
					}
					catch (Throwable ex) {
						Quietly.error(logger, "A slot of pool {} met an unexpected error and goes on",
								Slots.this.settings.name(), ex);
						LockSupport.parkNanos(PAUSE_NANOS);
					}
				}
			}
			finally {
				leave();
			}
		}

		private boolean endsAsSurplus() {
			if (surplus() <= 0) {
				return false;
			}
			synchronized (Slots.this) {
				// In one step, or others would end for the same surplus.
				return surplus() > 0 && Slots.this.slots.remove(this);
			}
		}

		private void leave() {
			// In one step, or a sound slot would count as surplus in between.
			synchronized (Slots.this) {
				if (this.replaced) {
					Slots.this.stuck.decrementAndGet();
				}
				Slots.this.slots.remove(this);
			}
		}

		private void step() {
			Execution execution;
			try {
				execution = Slots.this.buffer.take();
			}
			catch (InterruptedException ex) {
				// The interrupt was meant for a handler that had ended just before.
				return;
			}
			if (execution == null) {
				return;
			}
			Slots.this.busy.incrementAndGet();
			long start = System.nanoTime();
			this.current = execution;
			execution.begin();
			try {
				execution.run(Slots.this.settlements);
				Slots.this.prefetch.ran(System.nanoTime() - start);
			}
			catch (Throwable ex) {
				// First, or an error that cannot be described would leave its job
				// reserved for ever.
				release(execution, ex);
				Quietly.error(logger, "An unexpected error ended {}: the attempt counts", execution, ex);
			}
			finally {
				execution.end();
				if (finish()) {
					Slots.this.done.accept(Slots.this.busy.decrementAndGet());
				}
			}
		}

		/**
		 * Release an execution, again and again where there is no memory for it: nobody
		 * else would give its jobs back as long as the pool lives.
		 */
		private void release(Execution execution, Throwable reason) {
			while (true) {
				try {
					execution.release(ChargingSettlements.unforeseen(Slots.this.settlements, reason));
					return;
				}
				catch (OutOfMemoryError ex) {
					if (Slots.this.stopping) {
						throw ex;
					}
					// An interrupt was meant for the handler, and would end the pause.
					Thread.interrupted();
					LockSupport.parkNanos(PAUSE_NANOS);
				}
			}
		}

		/**
		 * Count as finished, unless another slot has taken this one's place.
		 */
		private synchronized boolean finish() {
			this.current = null;
			return !this.replaced;
		}

		/**
		 * Count as replaced, unless what is stuck has ended after all: by now the slot
		 * may run something else, which is sound.
		 */
		private synchronized boolean replace(Execution stuck) {
			this.replaced = this.current == stuck;
			return this.replaced;
		}

	}

}
