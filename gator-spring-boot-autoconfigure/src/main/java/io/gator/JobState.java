package io.gator;

/**
 * The state of a job. At every moment a job has exactly one.
 */
public enum JobState {

	/** To be run as soon as a slot is free. */
	WAITING,

	/** To be run at a time that has not come. */
	SCHEDULED,

	/** Claimed by a pool. */
	RUNNING,

	/**
	 * Has failed before (also if snoozed since), or was taken from a pool that was gone.
	 * The job stays in this state until it is claimed again, also when its retry is due.
	 */
	FAILED,

	/** Done. */
	SUCCEEDED,

	/** Failed for good: a dead letter, kept until it is retried or discarded. */
	DEAD,

	/** Ended on request: cancelled, or discarded after its death. */
	CANCELLED;

	/**
	 * Whether a job in this state has ended.
	 * @return whether nothing will run it, unless a dead one is retried on request
	 */
	public boolean isTerminal() {
		return this == SUCCEEDED || this == DEAD || this == CANCELLED;
	}

}
