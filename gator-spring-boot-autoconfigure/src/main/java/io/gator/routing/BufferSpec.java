package io.gator.routing;

import java.time.Duration;

import io.gator.Buffered;
import org.jspecify.annotations.Nullable;

/**
 * How the items of a {@link Buffered} job are gathered.
 *
 * @param size the most items of a batch
 * @param maxWait how long the oldest item waits for a batch to fill
 * @param maxConcurrent how many batches a pool handles at once
 * @param key the property whose value all items of a batch share, or {@code null}
 * @param partial whether the handler takes a {@code JobBatch}, of which it may fail some
 * items, rather than a {@code List}
 */
public record BufferSpec(int size, Duration maxWait, int maxConcurrent, @Nullable String key, boolean partial) {

}
