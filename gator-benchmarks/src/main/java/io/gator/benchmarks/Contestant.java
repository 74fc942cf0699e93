package io.gator.benchmarks;

/**
 * Something that keeps jobs in PostgreSQL.
 */
interface Contestant {

	String name();

	/**
	 * Remove all that earlier measurements left behind.
	 */
	void reset() throws Exception;

	/**
	 * Put jobs that do nothing where {@link #drain} finds them, in any way that is quick.
	 */
	void load(int jobs) throws Exception;

	/**
	 * Run all jobs that were loaded, with a fresh engine.
	 * @return jobs a second, from the start of the first until the last is settled
	 */
	double drain(int jobs) throws Exception;

	/**
	 * Dispatch many jobs with the best that the contestant has for it.
	 * @return jobs a second
	 */
	double dispatchMany(int jobs) throws Exception;

	/**
	 * Jobs a second for a number of jobs and a time in nanoseconds.
	 */
	static double rate(long jobs, long nanos) {
		return jobs * 1e9 / nanos;
	}

}
