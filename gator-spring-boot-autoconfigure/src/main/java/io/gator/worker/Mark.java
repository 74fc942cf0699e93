package io.gator.worker;

import org.jspecify.annotations.Nullable;

/**
 * How far one queue was claimed, as an id or as a due time. Doubles hold ids up to 2^53
 * exactly.
 */
final class Mark {

	/** The beginning of the queue. */
	private final double start;

	/** Where claims begin while the queue is caught up: the newest of a while ago. */
	private double lagging;

	/** What the lagging one becomes when it moves the next time. */
	private double next;

	/** How far anything was claimed. */
	private double newest;

	/**
	 * Where a full claim ended that has found rows behind the mark; not a number if the
	 * last one has not.
	 */
	private double resumeAt = Double.NaN;

	/** Where claims need not begin before once one of them has left nothing. */
	private double end;

	/** Whether the last claim may have left more. */
	private boolean full;

	/** When the lagging one moved last. */
	private @Nullable Long movedAt;

	/** How many sweeps in a row have ended before the lagging one. */
	private int endedBefore;

	/** The last sweep that has come to this queue. */
	private long swept;

	Mark(double start) {
		this.start = start;
		this.end = start;
		this.lagging = start;
		this.next = start;
		this.newest = start;
	}

	/**
	 * Whether a sweep has not come to this queue yet.
	 * @param sweep the number of the sweep
	 * @return whether the next claim is to begin at the start of the queue
	 */
	boolean isOwed(long sweep) {
		return this.swept < sweep;
	}

	/**
	 * Note that a claim which asked for this queue was broken off. What lies behind the
	 * mark is left to the next sweep.
	 * @param sweep the number of the last sweep, which counts as made
	 * @return whether the claim began behind the mark
	 */
	boolean brokenOff(long sweep) {
		boolean behind = isOwed(sweep) || !Double.isNaN(this.resumeAt);
		this.resumeAt = Double.NaN;
		this.swept = sweep;
		return behind;
	}

	/**
	 * Go forward, because claims from here are broken off. They begin at the new place
	 * until one of them has left nothing.
	 * @param place the new place
	 * @param end what was dispatched last
	 */
	void goForward(double place, double end) {
		this.lagging = Math.max(this.lagging, place);
		this.next = Math.max(this.next, place);
		this.newest = Math.max(this.newest, place);
		this.end = end;
	}

	/**
	 * Whether a claim that begins at a position may leave out something that has appeared
	 * late.
	 * @return whether the position is ahead of the lagging one
	 */
	boolean isPassedBy(double position) {
		return position > this.lagging;
	}

	/**
	 * Where a claim begins.
	 * @param sweep the number of the last sweep
	 * @param reach where a sweep begins, unless the mark has not come that far
	 * @param atMarks whether it begins at the newest place though the queue is caught up
	 */
	double position(long sweep, double reach, boolean atMarks) {
		if (isOwed(sweep)) {
			return Math.min(reach, this.lagging);
		}
		if (!Double.isNaN(this.resumeAt)) {
			return this.resumeAt;
		}
		return (this.full || atMarks) ? this.newest : this.lagging;
	}

	/**
	 * Note how far a claim has come.
	 * @param full whether it may have left more
	 */
	void move(double position, boolean full, long now, long sweep) {
		if (isOwed(sweep) && !full) {
			sweptUpTo(position);
		}
		this.swept = sweep;
		this.resumeAt = (full && position < this.newest) ? position : Double.NaN;
		this.newest = Math.max(this.newest, full ? position : Math.max(position, this.end));
		this.full = full;
		if (this.movedAt == null || now - this.movedAt >= Marks.LAG_NANOS) {
			this.lagging = this.next;
			this.next = this.newest;
			this.movedAt = now;
		}
	}

	private void sweptUpTo(double end) {
		if (end >= this.lagging) {
			this.endedBefore = 0;
		}
		else if (end > this.start && ++this.endedBefore == Marks.SWEEPS_BEFORE) {
			this.endedBefore = 0;
			this.newest = end;
			this.next = end;
			this.lagging = end;
			this.end = this.start;
		}
	}

}
