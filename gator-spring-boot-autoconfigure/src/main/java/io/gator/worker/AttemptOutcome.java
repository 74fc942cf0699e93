package io.gator.worker;

import java.util.Locale;

/**
 * How an attempt ended, as meters and log lines name it.
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

	/** Given back, because the pool stops. */
	RELEASED;

	private final String label = name().toLowerCase(Locale.ROOT);

	/**
	 * The name in meters and log lines.
	 * @return the name in lower case
	 */
	public String label() {
		return this.label;
	}

}
