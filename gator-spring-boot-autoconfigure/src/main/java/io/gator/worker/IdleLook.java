package io.gator.worker;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.gator.store.JobStore;
import io.gator.store.LookRequest;
import io.gator.store.StoreException;

/**
 * The look of a poll where jobs of both kinds may wait and nobody has woken the pool: one
 * statement instead of a claim for each kind. Used by the poller.
 */
final class IdleLook {

	/**
	 * How long a look may take. A longer one has walked over other jobs, unless
	 * everything is slow.
	 */
	private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

	private final JobStore store;

	private final SingleClaims singles;

	private final BatchLines batchLines;

	private final LongSupplier clock;

	private final ClaimPause pause = new ClaimPause(0, SLOW_NANOS);

	IdleLook(JobStore store, SingleClaims singles, BatchLines batchLines, LongSupplier clock) {
		this.store = store;
		this.singles = singles;
		this.batchLines = batchLines;
		this.clock = clock;
	}

	/**
	 * Find out which claims are worth it. If one kind needs no statement now, nothing is
	 * looked up: the claim for the other kind is the look.
	 * @param queues the queues that are served
	 * @return the claims to send
	 */
	Wanted look(Collection<String> queues) {
		if (queues.isEmpty() || !this.singles.areAny() || !this.batchLines.areOpen()) {
			return Wanted.BOTH;
		}
		if (this.pause.until(this.clock.getAsLong()) > 0) {
			return Wanted.SINGLES;
		}
		this.batchLines.moveMarks(queues);
		long start = this.clock.getAsLong();
		LookRequest single = this.singles.look(queues, start);
		BatchLook buffered = this.batchLines.look(queues, start);
		Set<LookRequest> seen = look(single, buffered, start);
		Elapsed elapsed = new Elapsed(start, this.clock.getAsLong());
		if (!seen.contains(single)) {
			this.singles.sawNothing(queues, elapsed);
		}
		if (!seen.contains(buffered.request())) {
			this.pause.begin(elapsed);
			buffered.sawNothing(elapsed);
		}
		return new Wanted(seen.contains(single), seen.contains(buffered.request()));
	}

	private Set<LookRequest> look(LookRequest single, BatchLook buffered, long start) {
		try {
			return this.store.look(List.of(single, buffered.request()));
		}
		catch (StoreException ex) {
			if (ex.isTimeout()) {
				Elapsed elapsed = new Elapsed(start, this.clock.getAsLong());
				this.pause.beginBrokenOff(elapsed);
				this.singles.lookGaveUp(buffered.queues(), elapsed);
				buffered.brokenOff(elapsed);
			}
			throw ex;
		}
	}

	/**
	 * Which claims to send.
	 *
	 * @param singles of jobs that are run one by one
	 * @param batches of buffered jobs
	 */
	record Wanted(boolean singles, boolean batches) {

		static final Wanted BOTH = new Wanted(true, true);

		static final Wanted SINGLES = new Wanted(true, false);

	}

}
