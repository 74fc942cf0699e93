package io.gator.store;

import java.util.Set;

/**
 * Which buffered jobs of a request have a ready batch, and which may have more items.
 *
 * @param ready the places, in {@link BatchRequest#jobs()}, of the jobs that have a ready
 * batch
 * @param more the places of the jobs that may have more items than were looked at
 */
public record WaitingBatches(Set<Integer> ready, Set<Integer> more) {

}
