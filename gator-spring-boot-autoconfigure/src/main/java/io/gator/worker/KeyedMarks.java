package io.gator.worker;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.gator.store.BatchRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;
import io.gator.store.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Remembers, for each queue, how far items of a job with a key are handled, so that
 * claims do not walk over dead rows. A claim takes items of one key and leaves others
 * before them, so what it brought does not tell: the first item that waits is looked up.
 * <p>
 * As long as claims from the beginning are quick there are no marks, and nothing is
 * looked up. They are slow if nobody can vacuum the dead rows, because somebody holds an
 * old snapshot. Then the marks go forward, a look a second, as long as claims from there
 * are slow as well. What appears behind them, because its transaction was long, is found
 * by sweeps from the beginning, which take no more than a twentieth of the poller's time.
 * Nobody speaks of it again, so a sweep is owed whenever the pool was woken. A sweep that
 * is quick is the end of the marks. A sweep from the beginning that takes longer than a
 * statement may is followed by those that begin where the {@link Reach} of the pool ends.
 * Used by the poller.
 * <p>
 * All buffered jobs together have such marks as well, see {@link #ofAll}.
 */
final class KeyedMarks {

	/** How long a claim takes at most that is no reason for marks. */
	static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

	private final JobStore store;

	private final Set<String> names;

	private final Reach reach;

	private final LongSupplier clock;

	private final Map<String, KeyedMark> marks = new HashMap<>();

	/** Whether marks go to the end of queues in which nothing waits. */
	private final boolean toEnds;

	/** Whether the last claim was slow. */
	private boolean slow;

	/** Whether the last claim took longer than a statement may. */
	private boolean brokenOff;

	/** Whether claims begin at the marks. */
	private boolean used;

	/** Whether another look is needed before claims that begin at the marks are quick. */
	private boolean setting;

	/** Whether something may have appeared since the last sweep. */
	private boolean woken;

	private long nextLook;

	private long nextSweep;

	KeyedMarks(JobStore store, Set<String> names, Reach reach, LongSupplier clock) {
		this(store, names, reach, clock, false);
	}

	private KeyedMarks(JobStore store, Set<String> names, Reach reach, LongSupplier clock, boolean toEnds) {
		this.store = store;
		this.names = names;
		this.reach = reach;
		this.clock = clock;
		this.toEnds = toEnds;
		this.nextLook = clock.getAsLong();
	}

	/**
	 * Create marks that all buffered jobs have in common. What makes claims slow may be a
	 * backlog of other jobs, over which they walk once for each buffered job. The look
	 * walks over it once for all of them, and where none of them has an item the marks go
	 * to the end of the backlog.
	 * @param store where to look
	 * @param names the names of all buffered jobs
	 * @param reach where sweeps begin
	 * @param clock the monotonic time
	 * @return the marks
	 */
	static KeyedMarks ofAll(JobStore store, Set<String> names, Reach reach, LongSupplier clock) {
		return new KeyedMarks(store, names, reach, clock, true);
	}

	/**
	 * The marks of one of the jobs, which are these if there is no other: a second look
	 * for the same items would find the same.
	 * @param names the names of the job
	 * @return its marks
	 */
	KeyedMarks of(Set<String> names) {
		return names.equals(this.names) ? this : new KeyedMarks(this.store, names, this.reach, this.clock);
	}

	/**
	 * The id after which items are looked for.
	 * @param queue the queue
	 * @return the id; 0 for the beginning
	 */
	long after(String queue) {
		return this.used ? mark(queue).after() : 0;
	}

	/**
	 * Whether claims begin at the marks.
	 * @return {@code false} if they begin as far back as the pool looks
	 */
	boolean areUsed() {
		return this.used;
	}

	/**
	 * How long until claims are worth it. Marks follow the last look but one, so between
	 * the first two looks a claim would still walk over all there is. That is no reason
	 * to wait unless the last one was broken off there.
	 * @return nanoseconds; 0 if they are worth it
	 */
	long untilSet(long now) {
		return this.setting ? Math.max(0, this.nextLook - now) : 0;
	}

	/**
	 * Forget queues that are not known any more.
	 * @param queues those that are known
	 */
	void retain(Set<String> queues) {
		this.marks.keySet().retainAll(queues);
	}

	/**
	 * Note what a claim brought of a queue. Where nothing waits any more, the mark goes
	 * there.
	 */
	void claimed(String queue, List<ClaimedJob> items) {
		KeyedMark mark = mark(queue);
		items.forEach((item) -> mark.claimed = Math.max(mark.claimed, item.id()));
	}

	/**
	 * Note that there may be items that were not there before.
	 */
	void woken() {
		this.woken = true;
	}

	/**
	 * Forget that there may be items that were not there before.
	 */
	void owesNothing() {
		this.woken = false;
	}

	/**
	 * How long until a sweep is due that somebody waits for.
	 * @return nanoseconds; {@link Long#MAX_VALUE} if none is owed
	 */
	long untilSweep(long now) {
		boolean owed = this.used && this.woken;
		return owed ? Math.max(0, Math.max(this.nextSweep - now, this.nextLook - now)) : Long.MAX_VALUE;
	}

	/**
	 * Note that a claim or a look is over.
	 * @param elapsed when it ran
	 */
	void ended(Elapsed elapsed) {
		this.slow = isSlow(elapsed);
		this.brokenOff = false;
	}

	/**
	 * Note that a claim or a look took longer than a statement may.
	 * @param elapsed when it ran
	 */
	void brokenOff(Elapsed elapsed) {
		ended(elapsed);
		this.brokenOff = true;
	}

	private static boolean isSlow(Elapsed elapsed) {
		return elapsed.nanos() > SLOW_NANOS;
	}

	/**
	 * Look for the first items that wait, if there is a reason to and it is time.
	 * @param queues the queues that are served
	 * @return whether it was a sweep behind marks that claims have used
	 */
	boolean moveIfDue(Collection<String> queues) {
		long start = this.clock.getAsLong();
		boolean sweep = !this.used || start - this.nextSweep >= 0;
		boolean reason = this.slow || (this.used && sweep);
		if (!reason || start - this.nextLook < 0) {
			return false;
		}
		boolean behind = this.used && sweep;
		this.setting = false;
		// Asked before the look: what is dispatched meanwhile lies behind.
		JobStore.Ends ends = this.toEnds ? this.store.endsInTime(queues, this.reach.afterId()) : JobStore.Ends.UNKNOWN;
		try {
			Map<String, Long> first = this.store.firstWaiting(this.names,
					queues.stream().map((queue) -> from(queue, sweep)).toList());
			Elapsed elapsed = new Elapsed(start, this.clock.getAsLong());
			this.woken &= !sweep;
			if (sweep) {
				this.reach.walked(elapsed);
			}
			if (sweep && !isSlow(elapsed)) {
				this.used = false;
			}
			else {
				this.setting = !this.used && this.brokenOff;
				this.used = true;
				queues.forEach((queue) -> mark(queue).move(first.get(queue), ends.lastIds().getOrDefault(queue, 0L)));
			}
			rest(sweep, elapsed);
			return behind;
		}
		catch (StoreException ex) {
			if (!ex.isTimeout()) {
				throw ex;
			}
			// Claims can do without.
			Elapsed elapsed = new Elapsed(start, this.clock.getAsLong());
			this.reach.brokenOff(elapsed);
			rest(sweep, elapsed);
			return false;
		}
	}

	private BatchRequest.From from(String queue, boolean sweep) {
		return new BatchRequest.From(queue, Math.max(this.reach.afterId(), sweep ? 0 : after(queue)));
	}

	private void rest(boolean sweep, Elapsed elapsed) {
		long share = Marks.SWEEP_SHARE * elapsed.nanos();
		if (sweep) {
			this.nextSweep = elapsed.end() + share;
		}
		// A sweep that is slow says nothing about the looks from the marks.
		boolean soon = sweep && this.used;
		this.nextLook = elapsed.end() + (soon ? Marks.LAG_NANOS : Math.max(Marks.LAG_NANOS, share));
	}

	private KeyedMark mark(String queue) {
		return this.marks.computeIfAbsent(queue, (q) -> new KeyedMark());
	}

	/**
	 * The place where the last look ended, or the one before if that is further back: ids
	 * are given before transactions commit, so an item may still appear that is older
	 * than what the last look has found.
	 */
	private static final class KeyedMark {

		private long before;

		private long last;

		/** The last item that was claimed. */
		private long claimed;

		long after() {
			return Math.min(this.before, this.last);
		}

		void move(@Nullable Long first, long end) {
			this.before = this.last;
			this.last = (first != null) ? first - 1 : Math.max(end, Math.max(this.last, this.claimed));
		}

	}

}
