package io.gator.store;

import java.util.List;
import java.util.Set;

/**
 * What a claim of batches brought.
 *
 * @param items the items, in no particular order
 * @param contended the places, in the request, of the jobs that had a batch which was
 * ready, but others were just taking items of it. They, too, count among the most batches
 * that were asked for
 * @param fullWindows the places of the jobs that may have more items than were looked at
 */
public record ClaimedBatches(List<ClaimedJob> items, Set<Integer> contended, Set<Integer> fullWindows) {

}
