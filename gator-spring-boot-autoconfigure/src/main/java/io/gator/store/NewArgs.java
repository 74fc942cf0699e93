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

}
