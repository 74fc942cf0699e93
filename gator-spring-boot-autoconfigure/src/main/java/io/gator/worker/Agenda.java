package io.gator.worker;

import java.util.OptionalDouble;
import java.util.concurrent.ThreadLocalRandom;

import io.gator.store.JobStore;

/**
 * When a pool is to claim: it has a reason to, because somebody has said that there may
 * be work or the next delayed job is due, or the poll interval is over. Used by the
 * poller; any thread may say something.
 */
final class Agenda {

	private static final long LONGEST_LOOK_AHEAD_SECONDS = 86_400;

	/**
	 * From this poll interval on, two statements with each poll are at most one a second.
	 */
	private static final long RARE_NANOS = 2_000_000_000L;

	private final long pollNanos;

	private volatile boolean woken = true;

	private long nextPoll;

	private long nextDue = Long.MAX_VALUE;

	private double askedAt = Double.NEGATIVE_INFINITY;

	/**
	 * Create the agenda of a pool, which polls for the first time at once.
	 * @param pollNanos the poll interval
	 */
	Agenda(long pollNanos, long now) {
		this.pollNanos = pollNanos;
		this.nextPoll = now;
	}

	/**
	 * Say that there may be work. May be called by any thread.
	 */
	void wake() {
		this.woken = true;
	}

	/**
	 * Whether somebody has woken the pool, or a delayed job is due. To be called before
	 * anything is read: whoever wakes the pool after this call wakes it for the next
	 * claim.
	 * @return whether there is likely to be work
	 */
	boolean takeReason(long now) {
		if (this.woken) {
			this.woken = false;
			return true;
		}
		return isDue(now);
	}

	boolean hasReason(long now) {
		return this.woken || isDue(now);
	}

	private boolean isDue(long now) {
		return this.nextDue != Long.MAX_VALUE && now - this.nextDue >= 0;
	}

	boolean isPollDue(long now) {
		return now - this.nextPoll >= 0;
	}

	/**
	 * Plan the next poll. Jitter keeps pools that started together from asking together
	 * for ever. It is small, so that an idle pool still asks once in the interval.
	 */
	void polled(long now) {
		long jitter = ThreadLocalRandom.current().nextLong(this.pollNanos / 100 + 1);
		this.nextPoll = now + this.pollNanos - jitter;
	}

	/**
	 * Poll earlier than planned.
	 * @param time the latest time of the next poll
	 */
	void pollBy(long time) {
		if (time - this.nextPoll < 0) {
			this.nextPoll = time;
		}
	}

	/**
	 * Whether polls are so rare that one more statement with each does not matter.
	 * Without it, a delayed job of which nobody tells the pool, as with polling alone,
	 * would wait for the next poll, long after it was due.
	 * @return whether to ask with each poll when the next delayed job is due
	 */
	boolean arePollsRare() {
		return this.pollNanos >= RARE_NANOS;
	}

	/**
	 * When the next due job was last asked for.
	 * @return the database's time, in seconds since the epoch
	 */
	double askedAt() {
		return this.askedAt;
	}

	/**
	 * Note when the next delayed job is due.
	 * @param next when
	 * @param now the monotonic time of the answer
	 */
	void nextDue(JobStore.NextDue next, long now) {
		this.askedAt = next.askedAt();
		OptionalDouble seconds = next.seconds();
		// A millisecond later rather than earlier: a claim that comes too early is
		// wasted.
		this.nextDue = seconds.isPresent()
				? now + (long) (Math.min(seconds.getAsDouble(), LONGEST_LOOK_AHEAD_SECONDS) * 1e9) + 1_000_000
				: Long.MAX_VALUE;
	}

	/**
	 * How long until it is time to claim.
	 * @return nanoseconds; 0 if it is
	 */
	long until(long now) {
		if (hasReason(now)) {
			return 0;
		}
		long poll = Math.max(0, this.nextPoll - now);
		return (this.nextDue != Long.MAX_VALUE) ? Math.min(poll, this.nextDue - now) : poll;
	}

	/**
	 * The longest time without a look.
	 * @return nanoseconds
	 */
	long pollNanos() {
		return this.pollNanos;
	}

}
