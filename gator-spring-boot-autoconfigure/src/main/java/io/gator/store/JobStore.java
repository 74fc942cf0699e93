package io.gator.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * Claims and settles, for a pool. Thread-safe. Unless it says otherwise, a method is one
 * transaction on a connection of the engine's own, and throws {@link StoreException} for
 * what the database refuses or cannot do.
 */
public interface JobStore {

	/**
	 * Claim jobs.
	 * @param request what to claim
	 * @return the jobs, in no particular order; never more than asked for
	 */
	List<ClaimedJob> claim(ClaimRequest request);

	/**
	 * Claim batches of buffered jobs that are ready: full, or their oldest item has
	 * waited long enough.
	 * @param request which ones
	 * @return the items of each batch; no more batches than asked for, of each job and in
	 * all
	 */
	List<List<ClaimedJob>> claimBatches(BatchRequest request);

	/**
	 * Look which batches there are to claim, those included that other pools are just
	 * taking.
	 * @param request what to look for
	 * @return what waits now
	 */
	WaitingBatches lookForBatches(BatchRequest request);

	/**
	 * Look for the first immediate items that wait for a batch.
	 * @param names the names and the aliases of their jobs
	 * @param queues where to look
	 * @return the id of the first one in each queue that has any
	 */
	Map<String, Long> firstWaiting(Set<String> names, List<BatchRequest.From> queues);

	/**
	 * Release claimed items, uncharged, and write down the key of the batch to which each
	 * belongs.
	 * @param items the items
	 * @return the ids of those that were released
	 */
	Set<Long> regroup(List<Regrouped> items);

	/**
	 * Look for jobs that could be claimed, or that are buffered and wait for others.
	 * @param requests what to look for
	 * @return the requests for which there is something
	 */
	Set<LookRequest> look(List<LookRequest> requests);

	/**
	 * When the next delayed job is due. Behind a hundred jobs of other names in a queue
	 * it is not looked for: then it is when the last of these is due.
	 * @param names the names of its job
	 * @param queues the queues to look at
	 * @param since when this was last asked, in seconds since the epoch; a job that has
	 * fallen due since then, and is not reserved, is the next one
	 * @return when
	 */
	NextDue nextDue(Collection<String> names, Collection<String> queues, double since);

	/**
	 * How far queues reach, whatever the names of their jobs, claimed or not.
	 * @param queues the queues to look at
	 * @param after the id behind which to look
	 * @return their ends
	 */
	Ends ends(Collection<String> queues, long after);

	/**
	 * How far queues reach, for those who can do without: where dead rows cannot be
	 * vacuumed, the look for the ends walks over them as claims do.
	 * @param queues the queues to look at
	 * @param after the id behind which to look
	 * @return their ends; {@link Ends#UNKNOWN} if that takes longer than a statement may
	 */
	default Ends endsInTime(Collection<String> queues, long after) {
		try {
			return ends(queues, after);
		}
		catch (StoreException ex) {
			if (!ex.isTimeout()) {
				throw ex;
			}
			return Ends.UNKNOWN;
		}
	}

	/**
	 * What was dispatched last, at most. Walks over nothing.
	 * @return the id and the time
	 */
	Newest newest();

	/**
	 * Write how attempts ended, all or none.
	 * @param <S> the kind of settlement
	 * @param kind the kind of settlement
	 * @param batch the settlements
	 * @return the ids of the jobs whose row did not match: another pool has claimed the
	 * job, or it is over
	 */
	<S extends Settlement> Set<Long> settle(Class<S> kind, List<S> batch);

	/**
	 * Find the jobs whose rows another transaction holds at the moment. A settlement of
	 * them would wait for that transaction.
	 * @param ids the ids of jobs
	 * @return those that are held
	 */
	Set<Long> locked(Collection<Long> ids);

	/**
	 * Write a success in a transaction of the caller.
	 * @param connection the connection of that transaction
	 * @param success the success
	 * @return whether the lease still held; if not, the transaction must be rolled back
	 * @throws SQLException if the database refuses or fails
	 */
	boolean settle(Connection connection, Settlement.Succeeded success) throws SQLException;

	/**
	 * Find the jobs that are not over. The transaction that ends one must have ended
	 * itself.
	 * @param ids the ids of jobs
	 * @return those that are still among the jobs
	 */
	Set<Long> live(Collection<Long> ids);

	/**
	 * Release, uncharged, the jobs that a pool has reserved without knowing it. A call
	 * looks at one part of the table of jobs only, because the table may be large.
	 * @param worker the identity under which they are reserved
	 * @param known the ids of the jobs that the pool holds
	 * @param page where to look: 0 to begin, or where the call before said to go on
	 * @return how many were released, and where to go on
	 */
	SearchStep releaseLost(long worker, Collection<Long> known, long page);

	/**
	 * Wake the pools of other processes. A hint, which may be lost.
	 * @param queues the queues that have work
	 */
	void notifyWork(Collection<String> queues);

	/**
	 * How long one statement may take.
	 * @return the time-out
	 */
	Duration statementTimeout();

	/**
	 * An item that was dispatched without the key of its batch.
	 *
	 * @param id its id
	 * @param lease the lease of its claim
	 * @param batchKey the key
	 */
	record Regrouped(long id, long lease, String batchKey) {

	}

	/**
	 * What became of a step of the search for jobs whose pool does not know of them.
	 *
	 * @param released how many jobs were released
	 * @param left how many were not, because somebody held their rows
	 * @param next the page to go on with; 0 if that was the last part of the table
	 */
	record SearchStep(int released, int left, long next) {

	}

	/**
	 * How far queues reach.
	 *
	 * @param now the time up to which delayed jobs are due, in seconds since the epoch
	 * @param lastIds the largest id of an immediate job in each queue that has any
	 */
	record Ends(double now, Map<String, Long> lastIds) {

		/** When nobody has asked for the ends. */
		public static final Ends UNKNOWN = new Ends(Double.NEGATIVE_INFINITY, Map.of());

	}

	/**
	 * What was dispatched last, at most: neither a job with a larger id nor one that was
	 * due later can have been claimed.
	 *
	 * @param id the id that was given last; 0 if that is not known
	 * @param now the database's time, in seconds since the epoch
	 */
	record Newest(long id, double now) {

		/** When nobody has asked for it. */
		public static final Newest UNKNOWN = new Newest(0, 0);

	}

	/**
	 * When the next delayed job is due.
	 *
	 * @param askedAt the database's time, in seconds since the epoch
	 * @param seconds how long after that it is due, negative if it is due already; empty
	 * if there is no such job
	 */
	record NextDue(double askedAt, OptionalDouble seconds) {

	}

}
