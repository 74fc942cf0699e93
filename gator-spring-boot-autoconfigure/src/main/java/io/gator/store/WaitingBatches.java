package io.gator.store;

import java.util.Set;

/**
 * What waits of the buffered jobs of a request.
 *
 * @param ready the places, in the request, of the jobs that have a batch which is ready
 * @param more the places of the jobs that may have more items than were looked at
 */
public record WaitingBatches(Set<Integer> ready, Set<Integer> more) {

}
