package io.gator.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Answers questions about the whole, for meters, the endpoint and the checks at start-up.
 * Every answer is bounded in time, whatever is in the tables. Thread-safe; throws
 * {@link StoreException}.
 */
public interface InsightStore {

	/**
	 * At most how many jobs ahead of another one are counted: nobody needs to know more
	 * exactly.
	 */
	int MAX_AHEAD = 10_000;

	/**
	 * Ask whether the database answers.
	 */
	void ping();

	/**
	 * Tell the cluster the facts of this process and read what is known there. Facts are
	 * JSON objects.
	 * @param process the id of the process that tells
	 * @param facts what it tells
	 * @param interval how old the count may become; processes that have not told anything
	 * for three intervals are left out
	 * @return what is known
	 */
	Shared exchange(String process, String facts, Duration interval);

	/**
	 * Tell all others what was counted.
	 * @param facts a JSON object
	 * @param age how old the counts in it are, in seconds
	 */
	void publish(String facts, double age);

	/**
	 * Count what is on the queues. Walks some thousand rows of each index for each queue
	 * and no more.
	 * @param limit the most queues
	 * @return the counts, by name
	 */
	List<QueueCount> count(int limit);

	/**
	 * Look at the statistics of the table.
	 * @return the facts
	 */
	TableFacts table();

	/**
	 * The pools of the cluster, with what is needed to tell why a job is not running.
	 * @return the pools, by id
	 */
	List<PoolFacts> pools();

	/**
	 * Look at a queue.
	 * @param queue the queue
	 * @return how it is, whether it is known or not
	 */
	QueueState queue(String queue);

	/**
	 * How many jobs pools hold, by the name of the job. Looks only at the heads of the
	 * queues, where claimed jobs stand.
	 * @param workers the identities of the pools
	 * @param queues the queues to look at
	 * @return names and how many there are of each
	 */
	Map<String, Long> held(Collection<Long> workers, Collection<String> queues);

	/**
	 * How many jobs of a queue are claimed before another.
	 * @param queue the queue
	 * @param id the id of the job
	 * @param dueAt when it is due, {@code null} for a job dispatched for now
	 * @return the number, at most {@value #MAX_AHEAD}
	 */
	long ahead(String queue, long id, @Nullable Instant dueAt);

	/**
	 * The latest deaths, among the thousand dead letters that were dispatched last.
	 * @param limit how many
	 * @return the deaths, the last one first
	 */
	List<Death> lastDeaths(int limit);

	/**
	 * How the server and the tables are set up.
	 * @return the facts
	 */
	ServerFacts server();

	/**
	 * How the server would carry out a claim.
	 * @param queues the queues to claim from
	 * @param names the names of the jobs to claim
	 * @return the lines of its plan
	 */
	List<String> claimPlan(Collection<String> queues, Set<String> names);

	/**
	 * What is known in the cluster.
	 *
	 * @param cluster the last count, a JSON object
	 * @param age how old it is, in seconds
	 * @param processes what each process told last
	 * @param turn whether the caller is to count now; nobody else is told so within the
	 * interval
	 */
	record Shared(String cluster, double age, List<String> processes, boolean turn) {

	}

	/**
	 * How a queue is.
	 *
	 * @param now the database's time, by which jobs are due
	 * @param pausedSince when it was paused, or {@code null} if it is not
	 */
	record QueueState(Instant now, @Nullable Instant pausedSince) {

	}

	/**
	 * A dead letter.
	 *
	 * @param id the id of the job
	 * @param name the name of the job
	 * @param queue the queue
	 * @param attempts how many attempts it had
	 * @param diedAt when it died
	 * @param error the first line of its error
	 */
	record Death(long id, String name, String queue, int attempts, Instant diedAt, @Nullable String error) {

	}

	/**
	 * A pool of the cluster.
	 *
	 * @param id its identity
	 * @param pool its name
	 * @param host the host of its process
	 * @param pid the id of its process
	 * @param startedAt when it took up its identity
	 * @param silence how many seconds ago it was heard
	 * @param lease how many seconds it may be silent
	 * @param queues the queues that it serves
	 * @param names the jobs that it knows
	 * @param slots how many jobs it runs at once
	 * @param busy how many slots were busy at its last beat
	 */
	record PoolFacts(long id, String pool, String host, long pid, Instant startedAt, double silence, double lease,
			List<String> queues, List<String> names, int slots, int busy) {

		/**
		 * Its name and where it runs.
		 * @return a text for people
		 */
		public String describe() {
			return "pool '" + this.pool + "' (process " + this.pid + " on " + this.host + ")";
		}

	}

	/**
	 * How the server and the tables are set up.
	 *
	 * @param settings settings of the server by name
	 * @param withoutAutovacuum tables of Gator for which autovacuum is switched off
	 * @param schemaVersion the last migration, {@code null} if there is no history of
	 * migrations that can be read
	 * @param clock the server's time, in seconds since the epoch
	 */
	record ServerFacts(Map<String, String> settings, List<String> withoutAutovacuum, @Nullable String schemaVersion,
			double clock) {

	}

}
