package io.gator.worker;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How a pool of this process is at the moment of asking.
 *
 * @param pool its name
 * @param running whether it was started
 * @param draining whether it is stopping
 * @param busy how many slots run something
 * @param slots how many slots it has
 * @param stuck how many handlers ignore that they were interrupted
 * @param buffered how many jobs are claimed and not started
 * @param unsettled how many outcomes are not in the database yet
 * @param silence how long ago it was last heard by the database, or {@code null} if it
 * has no identity there
 * @param failing whether its last claim failed
 * @param serving the queues that it serves
 */
public record PoolStatus(String pool, boolean running, boolean draining, int busy, int slots, int stuck, int buffered,
		int unsettled, @Nullable Duration silence, boolean failing, List<String> serving) {

}
