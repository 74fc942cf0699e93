package io.gator.store;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Puts off rescues that would free nothing again. While somebody holds the row of a job,
 * or a trigger refuses to let it be freed, its dead pool stays, and each beat asks for a
 * rescue, which reads the whole table of jobs. So the same dead pools are looked at again
 * after a second and then ever less often. A pool that has died since is not kept
 * waiting. Thread-safe.
 */
final class RescuePause {

	private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

	/** The pools from which the last rescue has freed nothing. */
	private Set<Long> stuck = new HashSet<>();

	private long since;

	private long delay;

	/**
	 * Whether a rescue has to wait.
	 * @param dead all pools that are dead now
	 * @return whether each of them was dead when nothing could be freed, not long ago
	 */
	synchronized boolean holds(Collection<Long> dead, long now) {
		// Whoever has come back in between is not kept waiting when it dies again.
		this.stuck.retainAll(dead);
		return this.stuck.containsAll(dead) && now - this.since < this.delay;
	}

	/**
	 * Note that a rescue has ended.
	 * @param dead the pools that were dead
	 * @param freed whether any job was freed
	 */
	synchronized void ended(Collection<Long> dead, boolean freed, long now) {
		this.delay = this.stuck.isEmpty() ? FIRST_NANOS : Math.min(2 * this.delay, LONGEST_NANOS);
		this.since = now;
		this.stuck = freed ? new HashSet<>() : new HashSet<>(dead);
	}

}
