package io.gator.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One thing that is measured.
 */
interface Scenario {

	/**
	 * The name to ask for it by.
	 */
	String name();

	/**
	 * What it measures, in a few words.
	 */
	String title();

	/**
	 * Sizes and settings, the ones found by {@link #prepare()} included.
	 */
	Map<String, String> parameters();

	/**
	 * Done once, before the rounds: searches the best settings of peers.
	 */
	default void prepare() throws Exception {
	}

	/**
	 * Measure everything once. Fails if anything did not do its work.
	 */
	void run(Round round) throws Exception;

	List<Target> targets();

	/**
	 * The most rounds, for what takes minutes.
	 */
	default int mostRounds() {
		return Integer.MAX_VALUE;
	}

	/**
	 * The least rounds at full size, for what takes a second and is near its target: the
	 * same work takes the same server half as long again from one second to the next.
	 */
	default int leastRounds() {
		return 1;
	}

	/**
	 * How many rounds come before the others and do not count: classes are loaded and
	 * compiled in them.
	 */
	default int warmUps() {
		return (mostRounds() == Integer.MAX_VALUE) ? 1 : 0;
	}

	/**
	 * Parameters in the order in which they are given: {@link Map#of} has another one in
	 * each run, and pages of two runs would differ where nothing has changed.
	 */
	static Map<String, String> inOrder(String... namesAndValues) {
		Map<String, String> parameters = new LinkedHashMap<>();
		for (int i = 0; i < namesAndValues.length; i += 2) {
			parameters.put(namesAndValues[i], namesAndValues[i + 1]);
		}
		return parameters;
	}

}
