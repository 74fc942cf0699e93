package io.gator.store;

import java.util.List;
import java.util.Set;

/**
 * Where to look whether jobs wait.
 *
 * @param names the names of the jobs
 * @param queues the queues, and where to begin in each; quotas do not matter
 */
public record LookRequest(Set<String> names, List<ClaimRequest.Share> queues) {

}
