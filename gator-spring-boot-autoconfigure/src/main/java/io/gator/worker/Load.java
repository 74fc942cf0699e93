package io.gator.worker;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

import org.jspecify.annotations.Nullable;

/**
 * How much a pool has on its hands, and how much more it may take: work for the slots and
 * the prefetch, less the outcomes that are not settled yet once these have become many.
 */
final class Load {

	/** How many times the prefetch work may wait for a slot before it goes back. */
	private static final long STALE = 20;

	/** How many outcomes may wait for the settler before claims slow down. */
	private static final int UNSETTLED = 2 * Settler.BATCH;

	private final PoolSettings settings;

	private final IntSupplier slots;

	private final Buffer buffer;

	private final InFlight inFlight;

	private final Settler settler;

	private final Prefetch prefetch;

	/** Claimed and not finished, whether settled or not. */
	private final AtomicInteger unfinished = new AtomicInteger();

	private volatile int low;

	/** What neither went back nor had a place in the buffer again. */
	private volatile @Nullable Execution held;

	Load(PoolSettings settings, IntSupplier slots, Buffer buffer, InFlight inFlight, Settler settler,
			Prefetch prefetch) {
		this.settings = settings;
		this.slots = slots;
		this.buffer = buffer;
		this.inFlight = inFlight;
		this.settler = settler;
		this.prefetch = prefetch;
	}

	/**
	 * How many jobs to claim now. Called by the poller.
	 * @param mostAhead the most that may wait for a slot
	 * @return the number; 0 if a claim is not worth it yet
	 */
	int room(int mostAhead) {
		int ahead = Math.min(mostAhead, this.prefetch.target());
		int most = this.slots.getAsInt() + ahead;
		// As long as there is something to do, claims of a few jobs each would cost more
		// than they bring. The last half of the prefetch is enough to do meanwhile.
		int least = Math.max(1, (ahead + 1) / 2);
		this.low = most - least;
		int room = most - this.unfinished.get() - Math.max(0, this.settler.pending() - UNSETTLED);
		return (room >= least) ? room : 0;
	}

	/**
	 * Note how long a claim of single jobs took, in which the slots had what was claimed
	 * before. Called by the poller.
	 * @param nanos how long
	 */
	void claimTook(long nanos) {
		this.prefetch.claimTook(nanos);
	}

	/**
	 * Whether so much is worked off that a claim is worth it.
	 * @return whether to wake the poller
	 */
	boolean isLow() {
		return this.unfinished.get() <= this.low;
	}

	/**
	 * Give back what waits for a slot if the oldest of it has waited for too long: it was
	 * claimed too early, because the jobs in the slots take longer than those before them
	 * did, and other pools may have slots for it. Called by the poller.
	 * @return the oldest, if it went back
	 */
	@Nullable Execution releaseStale(long now) {
		Execution oldest = oldest();
		if (oldest == null || untilStale(oldest, now) > 0) {
			return null;
		}
		this.prefetch.tookAtLeast(now - oldest.claimedAtNanos());
		release();
		return oldest;
	}

	/**
	 * How long until something is to be given back.
	 * @return nanoseconds; {@link Long#MAX_VALUE} if nothing waits for a slot
	 */
	long untilStale(long now) {
		Execution oldest = oldest();
		return (oldest != null) ? Math.max(0, untilStale(oldest, now)) : Long.MAX_VALUE;
	}

	private long untilStale(Execution oldest, long now) {
		long stale = Math.max(TimeUnit.SECONDS.toNanos(1), STALE * this.settings.prefetch().toNanos());
		return oldest.claimedAtNanos() + stale - now;
	}

	private @Nullable Execution oldest() {
		Execution first = this.held;
		return (first != null) ? first : this.buffer.peek();
	}

	/**
	 * Take on what was claimed.
	 * @param executions what was claimed
	 * @param check called when they are known to be in flight, and before a slot can
	 * start one of them
	 */
	void add(List<? extends Execution> executions, Runnable check) {
		InFlight.Claim claim = this.inFlight.add(executions);
		this.unfinished.addAndGet(executions.size());
		try {
			check.run();
			this.buffer.put(executions);
		}
		catch (Throwable ex) {
			// Out of memory, say. Jobs that are known here and reach no slot would stay
			// reserved.
			this.inFlight.remove(claim);
			this.unfinished.addAndGet(-executions.size());
			throw ex;
		}
	}

	/**
	 * Note that an execution is finished.
	 * @return how many are not
	 */
	int finished() {
		return this.unfinished.decrementAndGet();
	}

	/**
	 * Give back all that was not started. One at a time, so that after an error all that
	 * did not go back is in the buffer, or goes back the next time.
	 * @return how many
	 */
	synchronized int release() {
		int released = 0;
		for (Execution next = next(); next != null; next = next()) {
			try {
				next.release(this.settler);
			}
			catch (Throwable ex) {
				// There may be no memory for a place in the buffer either.
				this.held = next;
				this.buffer.put(List.of(next));
				this.held = null;
				throw ex;
			}
			this.unfinished.decrementAndGet();
			released++;
		}
		return released;
	}

	private @Nullable Execution next() {
		Execution first = this.held;
		this.held = null;
		return (first != null) ? first : this.buffer.poll();
	}

	/**
	 * Whether a slot has nothing to run.
	 * @return whether less is claimed than could run
	 */
	boolean hasIdleSlot() {
		return this.unfinished.get() < this.slots.getAsInt();
	}

	int unfinished() {
		return this.unfinished.get();
	}

	int buffered() {
		return this.buffer.size();
	}

}
