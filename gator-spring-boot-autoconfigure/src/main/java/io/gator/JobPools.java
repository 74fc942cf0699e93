package io.gator;

import java.util.Map;

/**
 * The pools of this process, whose numbers of slots can be changed while they run: fewer
 * while a database or another service has too much to do, more while jobs wait. A process
 * that only dispatches has none. Thread-safe.
 * <p>
 * A change lasts until the process ends, and is not told to other processes. What all of
 * them are to have, also after a restart, is the property
 * {@code gator.worker.concurrency}.
 * <p>
 * Handlers take their connections from the application's pool, which stays as large as it
 * is. Unlike at the start, nothing warns where there are fewer connections than slots:
 * jobs that use the database wait for each other then.
 */
public interface JobPools {

	/**
	 * How many jobs each pool runs at once.
	 * @return the numbers by the names of the pools, in the order of the configuration;
	 * the pool of {@code gator.worker} itself is called {@code default}
	 */
	Map<String, Integer> concurrency();

	/**
	 * Change how many jobs a pool runs at once. Returns at once. Jobs that run are not
	 * disturbed: where there are too many of them, they end, and no others begin in their
	 * place.
	 * @param pool the name of the pool
	 * @param concurrency how many jobs, 1 to 10,000; to run none, pause their queues
	 * @throws IllegalArgumentException if this process has no pool of that name, or if
	 * the number is out of its range
	 * @see JobAdmin#pause
	 */
	void resize(String pool, int concurrency);

}
