package io.gator.worker;

import java.util.Locale;

/**
 * How an attempt ended, as meters and observations name it.
 */
public enum AttemptOutcome {

	/** Done. */
	SUCCEEDED,

	/** Failed, to be retried. */
	FAILED,

	/** Failed for good. */
	DEAD,

	/** Ended on request. */
	CANCELLED,

	/** Asked to be called later, uncharged. */
	SNOOZED,

	/**
	 * Broken off because the pool stops, or may not run the job any more: the job goes
	 * back, or another pool has it already.
	 */
	RELEASED;

	private final String label = name().toLowerCase(Locale.ROOT);

	/**
	 * The name in meters and observations.
	 * @return the name in lower case
	 */
	public String label() {
		return this.label;
	}

}
