package io.gator.worker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;

/**
 * Remembers, for each queue, how far it was claimed, so that the next claim starts there
 * and does not walk over the dead rows at the head of the index again.
 * <p>
 * Rows can appear behind a mark: ids are given before transactions commit. So while a
 * queue is caught up its mark lags one to two seconds behind, and now and then a sweep
 * starts from the beginning: every second, but less often where it is slow, so that
 * sweeps never take more than a twentieth of the poller's time. What is found behind a
 * mark and fills a claim is seldom alone, a bulk whose transaction was long, or what
 * another pool gave back: the next claim goes on there instead of leaving the rest to the
 * next sweep. Used by one thread.
 */
final class Marks {

	static final long LAG_NANOS = 1_000_000_000L;

	static final int SWEEP_SHARE = 20;

	private final Map<String, Mark> ids = new HashMap<>();

	private final Map<String, Mark> dues = new HashMap<>();

	private boolean swept;

	private long lastSweep;

	private long sweepPause;

	/**
	 * Whether the next claim should start from the beginning.
	 * @param now the monotonic time
	 * @return whether a sweep is due
	 */
	boolean sweepIsDue(long now) {
		return !this.swept || now - this.lastSweep >= this.sweepPause;
	}

	/**
	 * Note that a sweep was made.
	 * @param start when it began, in monotonic time
	 * @param end when it was over
	 */
	void swept(long start, long end) {
		this.swept = true;
		this.lastSweep = end;
		this.sweepPause = Math.max(LAG_NANOS, SWEEP_SHARE * (end - start));
	}

	ClaimRequest.Share share(String queue, int quota, boolean sweep) {
		if (sweep) {
			return new ClaimRequest.Share(queue, quota, 0, Double.NEGATIVE_INFINITY);
		}
		return new ClaimRequest.Share(queue, quota, (long) mark(this.ids, queue, 0).position(),
				mark(this.dues, queue, Double.NEGATIVE_INFINITY).position());
	}

	/**
	 * Note what a claim brought.
	 * @param queue the queue
	 * @param jobs what was claimed from it
	 * @param full whether that was its whole quota, so that there may be more
	 * @param now the monotonic time
	 */
	void claimed(String queue, List<ClaimedJob> jobs, boolean full, long now) {
		double id = 0;
		double due = Double.NEGATIVE_INFINITY;
		for (ClaimedJob job : jobs) {
			if (job.isDelayed()) {
				due = Math.max(due, job.dueAt());
			}
			else {
				id = Math.max(id, job.id());
			}
		}
		mark(this.ids, queue, 0).move(id, full, now);
		// A hair less, because a time that became a number was rounded.
		mark(this.dues, queue, Double.NEGATIVE_INFINITY).move(due - 0.001, full, now);
	}

	private static Mark mark(Map<String, Mark> marks, String queue, double start) {
		return marks.computeIfAbsent(queue, (q) -> new Mark(start));
	}

	/**
	 * Doubles hold ids up to 2^53 exactly.
	 */
	private static final class Mark {

		private final double start;

		private double lagging;

		private double next;

		private double newest;

		/** Where a full claim ended before the mark, or not a number. */
		private double behind = Double.NaN;

		private boolean full;

		private long rotatedAt;

		private boolean rotated;

		Mark(double start) {
			this.start = start;
			this.lagging = start;
			this.next = start;
			this.newest = start;
		}

		double position() {
			if (!Double.isNaN(this.behind)) {
				return this.behind;
			}
			return this.full ? this.newest : this.lagging;
		}

		void move(double position, boolean full, long now) {
			boolean found = position > this.start;
			if (found || !full) {
				this.behind = (full && position < this.newest) ? position : Double.NaN;
			}
			this.newest = Math.max(this.newest, position);
			this.full = full;
			if (!this.rotated || now - this.rotatedAt >= LAG_NANOS) {
				this.lagging = this.next;
				this.next = this.newest;
				this.rotatedAt = now;
				this.rotated = true;
			}
		}

	}

}
