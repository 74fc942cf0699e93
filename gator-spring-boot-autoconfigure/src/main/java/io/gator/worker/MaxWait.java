package io.gator.worker;

import java.time.Duration;

/**
 * When to look for items that have waited long enough for others. Somebody said that they
 * came, the look that followed found too few for a batch, and nobody will say anything
 * when they have waited: without this they would wait for a poll. Times are monotonic.
 * Used by one thread.
 */
final class MaxWait {

	/** The time of what will not happen. */
	private static final long NEVER = Long.MAX_VALUE;

	/** Beyond this a poll comes first, whatever its interval. */
	private static final Duration LONGEST = Duration.ofDays(1);

	private final long nanos;

	private long heardAt = NEVER;

	private long lookAt = NEVER;

	MaxWait(Duration wait) {
		this.nanos = (wait.compareTo(LONGEST) < 0 ? wait : LONGEST).toNanos();
	}

	/**
	 * Note that there may be items that were not there before.
	 * @param now the time
	 */
	void heard(long now) {
		this.heardAt = now;
	}

	/**
	 * Note that all that was ready has been claimed. A look that is planned stays: it is
	 * for older items. Those that came after it was planned have one of their own.
	 * @param now the time
	 */
	void looked(long now) {
		if (this.lookAt != NEVER && now - this.lookAt < 0) {
			return;
		}
		long last = this.heardAt + this.nanos;
		this.lookAt = (this.heardAt != NEVER && last - now > 0) ? last : NEVER;
	}

	/**
	 * Plan no look until something is heard again.
	 */
	void forget() {
		this.heardAt = NEVER;
		this.lookAt = NEVER;
	}

	/**
	 * How long until the next look.
	 * @param now the time
	 * @return nanoseconds; {@link Long#MAX_VALUE} if none is planned
	 */
	long untilLook(long now) {
		return (this.lookAt != NEVER) ? Math.max(0, this.lookAt - now) : Long.MAX_VALUE;
	}

}
