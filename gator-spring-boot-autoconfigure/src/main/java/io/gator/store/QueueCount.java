package io.gator.store;

import org.jspecify.annotations.Nullable;

/**
 * What is on a queue. Counts are exact up to a limit; beyond it they are estimates.
 *
 * @param queue the name of the queue
 * @param paused whether nothing is claimed from it
 * @param waiting jobs that wait for a slot
 * @param scheduled jobs whose time has not come
 * @param running jobs that a pool holds
 * @param failed jobs that wait for their retry
 * @param dead dead letters
 * @param oldestSeconds how long the oldest job that is due has waited, {@code null} if
 * none is due
 * @param estimated whether there was more than could be counted
 */
public record QueueCount(String queue, boolean paused, long waiting, long scheduled, long running, long failed,
		long dead, @Nullable Double oldestSeconds, boolean estimated) {

	/**
	 * A queue with nothing on it.
	 * @param queue the name
	 * @return no jobs
	 */
	public static QueueCount none(String queue) {
		return new QueueCount(queue, false, 0, 0, 0, 0, 0, null, false);
	}

	/**
	 * This and another queue as one.
	 * @param other the other one
	 * @return both, under the name of this one
	 */
	public QueueCount plus(QueueCount other) {
		Double oldest = this.oldestSeconds;
		if (oldest == null || (other.oldestSeconds != null && other.oldestSeconds > oldest)) {
			oldest = other.oldestSeconds;
		}
		return new QueueCount(this.queue, this.paused && other.paused, this.waiting + other.waiting,
				this.scheduled + other.scheduled, this.running + other.running, this.failed + other.failed,
				this.dead + other.dead, oldest, this.estimated || other.estimated);
	}

}
