package io.gator.worker;

import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * What came of an execution, on its way to the database.
 *
 * @param execution the execution that it belongs to
 * @param settlement what to write
 * @param landed called when it is written
 * @param done called if the job was settled already, or {@code null} if that is too late
 * @param original the outcome before something was left out, or {@code null} if nothing
 * was
 */
record Outcome(Execution execution, Settlement settlement, Runnable landed, @Nullable Runnable done,
		@Nullable Outcome original) {

	Outcome(Execution execution, Settlement settlement, Runnable landed, @Nullable Runnable done) {
		this(execution, settlement, landed, done, null);
	}

	/**
	 * An outcome of the same job with less in it.
	 * @param less what to write
	 * @return the outcome to write instead of this one
	 */
	Outcome with(Settlement less) {
		return new Outcome(this.execution, less, this.landed, this.done, asItWas());
	}

	/**
	 * An outcome of the same job as a dead one. What is to be called for this outcome is
	 * not called, because something else has become of the job.
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
