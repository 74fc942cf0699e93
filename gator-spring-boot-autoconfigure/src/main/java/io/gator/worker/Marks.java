package io.gator.worker;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;

/**
 * Remembers, for each queue, how far it was claimed, so that the next claim starts there
 * and does not walk over the dead rows at the head of the index again.
 * <p>
 * Rows can appear behind a mark: ids are given before transactions commit. So while a
 * queue is caught up its mark lags one to two seconds behind, and now and then a sweep
 * starts from the beginning: every second, but less often where it is slow, so that
 * sweeps never take more than a twentieth of the poller's time. Rows that are found
 * behind a mark and fill a claim are seldom all: they are of a bulk whose transaction was
 * long, or another pool gave them back. So the next claim goes on there instead of
 * leaving the rest to the next sweep.
 * <p>
 * A claim that begins behind a mark walks over all that was claimed in the last two
 * seconds, and while somebody holds an old snapshot the database cannot skip these rows.
 * So while other queues fill one claim after the other, those that are caught up begin at
 * their marks themselves. Only one claim in each quarter of a second begins behind the
 * marks, or more as long as they take no more than a tenth of the poller's time. A claim
 * that is not full looks behind the marks before it ends.
 * <p>
 * Where ids begin again, as after {@code truncate … restart identity}, all jobs would lie
 * behind the mark and wait for a sweep. So a mark goes back once some sweeps in a row
 * have found the end of the queue before it. Not at the first one: the last row may be a
 * job that still runs while the next ones are on their way, and from there claims would
 * walk over dead rows again.
 * <p>
 * A full claim ends before it comes to its last queues. It says nothing about them, and a
 * sweep is owed to them until a claim comes to them.
 * <p>
 * Where a sweep from the beginning takes longer than a statement may, sweeps begin where
 * the {@link Reach} of the pool ends. A mark that is even further back, because the pool
 * has just started or has not served the queue for long, goes there. Used by one thread.
 */
final class Marks {

	/** How long a mark stays behind: ids are given before transactions commit. */
	static final long LAG_NANOS = 1_000_000_000L;

	/** Sweeps take at most one part in so many of the poller's time. */
	static final int SWEEP_SHARE = 20;

	/** The same for looks behind the marks, unless they are due anyway. */
	static final int LOOK_SHARE = 10;

	/**
	 * How long at most no claim looks behind the marks. Well below the lag, or marks
	 * would pass rows that were never looked for.
	 */
	static final long LOOK_NANOS = LAG_NANOS / 4;

	/** After how many sweeps that end before a mark it goes back. */
	static final int SWEEPS_BEFORE = 3;

	/**
	 * How long at most no sweep begins after one that was broken off. No longer, because
	 * the next one begins later, and until then what lies behind the marks is not found.
	 */
	private static final long REST_NANOS = 10_000_000_000L;

	private final Reach reach;

	private final Map<String, Mark> ids = new HashMap<>();

	private final Map<String, Mark> dues = new HashMap<>();

	/** The number of the last sweep that began. */
	private long sweep;

	private long nextSweep;

	/** Before when no sweep begins, so that sweeps do not take too much of the time. */
	private long restsUntil;

	/** When the last sweep began. */
	private long sweptAt;

	/** Whether a claim has swept something and is not over. */
	private boolean sweeping;

	/** Whether queues that are caught up begin at their marks, and not behind them. */
	private boolean atMarks;

	/**
	 * Whether this claim asks a queue from ahead of its lagging mark, because the one
	 * before was full.
	 */
	private boolean ahead;

	/**
	 * Whether this claim has brought something or has found nothing. From then on it goes
	 * on where it has ended, and not ahead of its marks: while jobs come all the time it
	 * brings some again and again, and if it looked behind its marks after each of them
	 * it would not end.
	 */
	private boolean goesOn;

	/** Whether the last claim was full. */
	private boolean backlog;

	/** When a claim is to look behind the marks again, though the last one was full. */
	private long nextLook;

	/**
	 * Create marks at the beginning of all queues.
	 * @param reach where sweeps begin
	 */
	Marks(Reach reach) {
		this.reach = reach;
	}

	/**
	 * Begin a claim.
	 */
	void begin(long now) {
		sweepIfDue(now);
		this.ahead = false;
		this.goesOn = false;
		this.atMarks = this.backlog && now - this.nextLook < 0;
	}

	/**
	 * Look behind the marks from here on, until the next claim begins.
	 * @return {@code false} if that is done anyway
	 */
	boolean lookBehind() {
		boolean before = this.atMarks || this.ahead;
		this.atMarks = false;
		this.ahead = false;
		return before;
	}

	/**
	 * Begin a sweep, if it is time to.
	 */
	void sweepIfDue(long now) {
		if (this.sweep == 0 || now - this.nextSweep >= 0) {
			sweepNow(now);
		}
	}

	/**
	 * Begin a sweep, whenever the last one was.
	 */
	void sweepNow(long now) {
		this.sweep++;
		this.sweptAt = now;
		this.nextSweep = now + LAG_NANOS;
		this.restsUntil = now;
	}

	/**
	 * Let the next sweep begin as soon as sweeps may: something is known to have appeared
	 * behind the marks.
	 */
	void sweepSoon() {
		this.nextSweep = this.restsUntil;
	}

	/**
	 * How long until a sweep finds what was behind the marks at some time.
	 * @param then the time, which is before the last claim or look
	 * @return nanoseconds; 0 if a sweep has begun since, or begins with the next claim
	 * because the last one has left these queues out
	 */
	long untilAllIsSeen(long then, long now) {
		boolean seen = this.sweep == 0 || this.sweptAt - then >= 0 || this.nextSweep - then <= 0;
		// A sweep that fell due while the claim ran was not made by it.
		return seen ? 0 : Math.max(1, this.nextSweep - now);
	}

	/**
	 * What to ask of a queue.
	 * @param queue the queue
	 * @param quota how many jobs
	 * @return its share in a claim, which starts at the marks
	 */
	ClaimRequest.Share share(String queue, int quota) {
		return new ClaimRequest.Share(queue, quota, after(queue), position(due(queue), this.reach.afterDue(), false));
	}

	/**
	 * Forget queues that are not known any more, or they would be remembered as long as
	 * the process lives, however many come and go.
	 * @param queues those that are known
	 */
	void retain(Set<String> queues) {
		this.ids.keySet().retainAll(queues);
		this.dues.keySet().retainAll(queues);
	}

	/**
	 * The id after which immediate jobs are looked for.
	 * @param queue the queue
	 * @return the id; 0 for the beginning
	 */
	long after(String queue) {
		return (long) position(id(queue), this.reach.afterId(), this.atMarks);
	}

	private double position(Mark mark, double reach, boolean atMark) {
		double position = mark.position(this.sweep, reach, atMark);
		this.ahead |= !this.goesOn && mark.isPassedBy(position);
		return position;
	}

	/**
	 * Note what a claim brought.
	 * @param queue the queue
	 * @param jobs what was claimed from it
	 * @param more whether it may have more, because that was its whole quota, or because
	 * the claim was full
	 */
	void claimed(String queue, List<ClaimedJob> jobs, boolean more, long now) {
		claimed(queue, jobs, more, JobStore.Ends.UNKNOWN, now);
	}

	/**
	 * Note what a claim brought.
	 * @param queue the queue
	 * @param jobs what was claimed from it
	 * @param more whether it may have more, because that was its whole quota, or because
	 * the claim was full
	 * @param ends where the queue ended before the claim, with jobs of whatever name. If
	 * there is no more, the claim has seen all up to there
	 */
	void claimed(String queue, List<ClaimedJob> jobs, boolean more, JobStore.Ends ends, long now) {
		this.goesOn = true;
		if (jobs.isEmpty() && more) {
			return;
		}
		double id = more ? 0 : ends.lastIds().getOrDefault(queue, 0L);
		double due = more ? Double.NEGATIVE_INFINITY : ends.now();
		for (ClaimedJob job : jobs) {
			if (job.isDelayed()) {
				due = Math.max(due, job.dueAt());
			}
			else {
				id = Math.max(id, job.id());
			}
		}
		// Immediate jobs are taken only where due ones leave room.
		boolean reached = id > 0 || !more;
		// A millisecond less, because the time was rounded when it became a number.
		move(due(queue), due - 0.001, !reached, now);
		if (reached) {
			move(id(queue), id, more, now);
		}
	}

	private void move(Mark mark, double position, boolean full, long now) {
		this.sweeping |= mark.isOwed(this.sweep);
		mark.move(position, full, now, this.sweep);
	}

	/**
	 * Note that a claim or a look is over.
	 * @param full whether it ended though there may be more
	 * @param elapsed when it ran
	 * @return whether it has swept something
	 */
	boolean ended(boolean full, Elapsed elapsed) {
		this.backlog = full;
		if (!this.atMarks) {
			this.nextLook = elapsed.end() + Math.min((LOOK_SHARE - 1) * elapsed.nanos(), LOOK_NANOS);
		}
		boolean swept = this.sweeping;
		if (swept) {
			this.sweeping = false;
			restUntil(elapsed.end() + SWEEP_SHARE * elapsed.nanos());
		}
		return swept;
	}

	/**
	 * Note that a claim took longer than a statement may. If the claim was a sweep, the
	 * next one would take as long, and nothing would ever be claimed. So the sweep counts
	 * as made, and the next one begins later, and not as far back.
	 * @param queues the queues that the claim asked for
	 * @param elapsed when it ran
	 */
	void brokenOff(Collection<String> queues, Elapsed elapsed) {
		if (!this.reach.wasKnown(elapsed) || !goForward(queues)) {
			this.reach.brokenOff(elapsed);
		}
		boolean behind = false;
		for (String queue : queues) {
			behind |= id(queue).brokenOff(this.sweep);
			behind |= due(queue).brokenOff(this.sweep);
		}
		if (behind) {
			this.sweeping = false;
			restUntil(elapsed.end() + Math.min(REST_NANOS, SWEEP_SHARE * elapsed.nanos()));
		}
	}

	/**
	 * Let marks go where the reach ends, if the claim began further back.
	 * @return whether it did for any of them, so that it does not show that the reach is
	 * too long
	 */
	private boolean goForward(Collection<String> queues) {
		boolean further = false;
		for (String queue : queues) {
			further |= goForward(id(queue), this.reach.afterId(), this.reach.newest().id());
			further |= goForward(due(queue), this.reach.afterDue(), this.reach.newest().now());
		}
		return further;
	}

	private boolean goForward(Mark mark, double reach, double newest) {
		boolean further = mark.position(this.sweep, reach, false) < reach;
		if (further) {
			mark.goForward(reach, newest);
		}
		return further;
	}

	private void restUntil(long time) {
		this.restsUntil = Math.max(this.restsUntil, time);
		this.nextSweep = Math.max(this.nextSweep, time);
	}

	private Mark id(String queue) {
		return mark(this.ids, queue, 0);
	}

	private Mark due(String queue) {
		return mark(this.dues, queue, Double.NEGATIVE_INFINITY);
	}

	private static Mark mark(Map<String, Mark> marks, String queue, double start) {
		return marks.computeIfAbsent(queue, (q) -> new Mark(start));
	}

}
