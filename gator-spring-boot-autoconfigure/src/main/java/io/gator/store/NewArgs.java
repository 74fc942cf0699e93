package io.gator.store;

import org.jspecify.annotations.Nullable;

/**
 * What differs from job to job of one dispatch.
 *
 * @param args the arguments, a JSON array
 * @param uniqueKey the unique key, or {@code null}
 * @param batchKey the key of the batches of a buffered job, or {@code null}
 */
public record NewArgs(String args, @Nullable String uniqueKey, @Nullable String batchKey) {

	/**
	 * Arguments of a job that is neither unique nor buffered by key.
	 * @param args the arguments, a JSON array
	 * @return the arguments
	 */
	public static NewArgs of(String args) {
		return new NewArgs(args, null, null);
	}

}
