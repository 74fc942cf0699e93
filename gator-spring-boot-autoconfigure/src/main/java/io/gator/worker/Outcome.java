package io.gator.worker;

import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * What came of an execution, on its way to the database.
 *
 * @param execution whose it is
 * @param settlement what to write
 * @param landed called when it is written
 * @param done called if the job was settled already, or {@code null} if that is too late
 * @param original what could not be written as it was, or {@code null}
 */
record Outcome(Execution execution, Settlement settlement, Runnable landed, @Nullable Runnable done,
		@Nullable Outcome original) {

	Outcome(Execution execution, Settlement settlement, Runnable landed, @Nullable Runnable done) {
		this(execution, settlement, landed, done, null);
	}

	/**
	 * The same job's, with less in it.
	 * @param less what to write
	 * @return the outcome to write instead of this one
	 */
	Outcome with(Settlement less) {
		return new Outcome(this.execution, less, this.landed, this.done, asItWas());
	}

	/**
	 * The same job's, as dead. It is not what those who wait for this one expect, so they
	 * are not told.
	 * @param died what to write
	 * @return the outcome to write instead of this one
	 */
	Outcome dead(Settlement.Died died) {
		return new Outcome(this.execution, died, Settlements.NOTHING, null, asItWas());
	}

	/**
	 * As it was before something was left out.
	 * @return the first form of this outcome
	 */
	Outcome asItWas() {
		return (this.original != null) ? this.original : this;
	}

}
