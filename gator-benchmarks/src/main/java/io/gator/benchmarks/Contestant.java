package io.gator.benchmarks;

import java.util.List;

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
	 * Try each setting some times, and find the one with the fastest trial of all.
	 * @return the setting
	 */
	static <S> S fastest(List<S> settings, int tries, Trial<S> trial) throws Exception {
		double best = 0;
		S found = settings.get(0);
		for (S setting : settings) {
			for (int i = 0; i < tries; i++) {
				double rate = trial.rate(setting);
				if (rate > best) {
					best = rate;
					found = setting;
				}
			}
		}
		return found;
	}

	/**
	 * Jobs a second for a number of jobs and a time in nanoseconds.
	 */
	static double rate(long jobs, long nanos) {
		return jobs * 1e9 / nanos;
	}

	/**
	 * Measures one setting.
	 *
	 * @param <S> the type of the setting
	 */
	@FunctionalInterface
	interface Trial<S> {

		double rate(S setting) throws Exception;

	}

}
