package io.gator.worker;

import java.util.Objects;

import io.gator.store.ClaimedJob;
import io.gator.store.ErrorText;
import org.jspecify.annotations.Nullable;

/**
 * One item of a batch, as its listeners see it, and what becomes of it.
 */
final class BatchItem extends ClaimedContext {

	@Nullable Object value;

	boolean isRead;

	@Nullable Throwable error;

	/** The text that is kept of the error, once it has been made. */
	@Nullable String text;

	BatchItem(Execution execution, ClaimedJob job) {
		super(execution, job);
	}

	/** Why it is dead. */
	Throwable reason() {
		return Objects.requireNonNull(this.error);
	}

	/** Why it is dead, as it is kept. */
	String reasonText() {
		String kept = this.text;
		if (kept == null) {
			kept = ErrorText.of(reason());
			this.text = kept;
		}
		return kept;
	}

}
