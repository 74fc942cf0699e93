package io.gator.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps the identities of pools: which pools live, which are dead, and what becomes of
 * the jobs of dead ones. Thread-safe; throws {@link StoreException}.
 */
public interface WorkerStore {

	/**
	 * Take up an identity.
	 * @param registration the pool
	 * @return the identity
	 */
	long register(Registration registration);

	/**
	 * Say that a pool lives.
	 * @param worker its identity
	 * @param slots how many slots it has now
	 * @param busy how many of them are busy
	 * @param queues the queues that it serves
	 * @param heard the cancellations that its last beat brought; those that it does not
	 * name come again
	 * @return what there is to know
	 */
	Beat beat(long worker, int slots, int busy, Collection<String> queues, Collection<Long> heard);

	/**
	 * Whether the server is there and does not take this process. Asks nobody.
	 * @return whether it has refused the last connection, as far as that can be seen
	 */
	boolean isRefused();

	/**
	 * Give up an identity that holds no job any more.
	 * @param worker the identity
	 */
	void retire(long worker);

	/**
	 * Take the jobs of dead pools from them, to be run again now. The silence of a pool
	 * whose last beat was before the database's clock was put back counts from the first
	 * call after that. Pools from which nothing could be freed are left alone for a
	 * while, half a minute at most, unless another one dies.
	 * @param alive identities that are known to live
	 * @param byLocks whether pools that have missed some beats and whose lock is free are
	 * dead as well; otherwise only those whose lease is over are
	 * @return the ids of the jobs
	 */
	List<Long> rescue(Collection<Long> alive, boolean byLocks);

	/**
	 * Tell whether there is something to do that one process does for all.
	 * @param alive identities of this process, which lives
	 * @return whether the oldest pool of those that live is among them
	 */
	boolean isOldest(Collection<Long> alive);

	/**
	 * Take jobs from identities that have no row any more, to be run again now. Reads the
	 * table of jobs, so it is only to be called now and then.
	 * @return the ids of the jobs
	 */
	List<Long> rescueOrphans();

	/**
	 * Make queues known, and note that they are in use.
	 * @param queues the queues
	 */
	void registerQueues(Collection<String> queues);

	/**
	 * Make those queues known in which there are jobs.
	 * @param queues the names that were heard; anybody who may connect to the database
	 * can have sent them
	 */
	void registerHeardQueues(Collection<String> queues);

	/**
	 * Make queues known again whose names were lost though there are jobs in them, dead
	 * ones included.
	 * @return how many queues
	 */
	int registerMissingQueues();

	/**
	 * Forget queues that nobody has used for a day and in which there are no jobs.
	 * @return how many queues
	 */
	int forgetUnusedQueues();

	/**
	 * A pool that takes up an identity.
	 *
	 * @param pool its name
	 * @param host the host of its process
	 * @param pid the id of its process
	 * @param heartbeat how often it beats
	 * @param lease how long it may be silent
	 * @param queues the queues that it serves
	 * @param names the names of the jobs that it knows
	 * @param slots how many slots it has; its beats tell when that changes
	 */
	record Registration(String pool, String host, long pid, Duration heartbeat, Duration lease,
			Collection<String> queues, Collection<String> names, int slots) {

	}

	/**
	 * The answer to a beat.
	 *
	 * @param alive whether the identity is still there; if not, its jobs were rescued
	 * @param cancelled ids of running jobs that are to be cancelled
	 * @param queues all queues, and whether each is paused
	 * @param missing whether another pool has missed its beats, or has not beaten since
	 * the database's clock was put back; where there are many pools, not each beat looks
	 * @param server a text that changes when the server is started anew or another one
	 * takes its place; empty if the identity is not there
	 */
	record Beat(boolean alive, Set<Long> cancelled, Map<String, Boolean> queues, boolean missing, String server) {

	}

}
