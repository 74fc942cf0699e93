package io.gator.worker;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How a pool works. The values have been checked before they come here.
 *
 * @param name the name of the pool
 * @param concurrency how many jobs it runs at once when it starts
 * @param queues queues and their weights, in order; empty for all queues, {@code "*"} for
 * those that are not named
 * @param strict whether queues are served in order instead of by weight
 * @param pollInterval the longest time between two looks at the queues
 * @param prefetch how much work is held in advance, as a time
 * @param heartbeat how often the pool beats
 * @param lease how long it may be silent before its jobs are taken from it
 * @param shutdownTimeout how long running jobs are waited for when the pool stops
 * @param virtualThreads whether slots are virtual threads
 */
public record PoolSettings(String name, int concurrency, Map<String, Integer> queues, boolean strict,
		Duration pollInterval, Duration prefetch, Duration heartbeat, Duration lease, Duration shutdownTimeout,
		boolean virtualThreads) {

	/**
	 * Stands for all queues that are not named.
	 */
	public static final String ALL = "*";

	private static final int MOST_SLOTS = 10_000;

	/**
	 * How many slots a pool may have, for messages.
	 */
	public static final String CONCURRENCY = "1 to " + MOST_SLOTS;

	/** How long an interrupted handler has to notice. */
	static final Duration GRACE = Duration.ofSeconds(2);

	/** How long the last outcomes have to reach the database. */
	static final Duration LAST_SETTLE = Duration.ofSeconds(2);

	/**
	 * Tell whether a pool may have so many slots.
	 * @param concurrency the number
	 * @return whether it is within {@link #CONCURRENCY}
	 */
	public static boolean isConcurrency(int concurrency) {
		return concurrency >= 1 && concurrency <= MOST_SLOTS;
	}

	/**
	 * How long the pool may take to stop while the database is there: its time-out, and
	 * then a moment for interrupts and for writing the last outcomes.
	 * @return the time
	 */
	public Duration stopTime() {
		return this.shutdownTimeout.plus(GRACE).plus(LAST_SETTLE);
	}

	/**
	 * Whether jobs of a queue are looked for.
	 * @param queue the queue
	 * @return whether it is named, or all queues are served, or those that are not named
	 */
	public boolean serves(String queue) {
		return this.queues.isEmpty() || this.queues.containsKey(ALL) || this.queues.containsKey(queue);
	}

	/**
	 * The queues that are served now, with their weights.
	 * @param known all queues, and whether each is paused
	 * @return the queues in their order
	 */
	Map<String, Integer> serving(Map<String, Boolean> known) {
		Map<String, Integer> configured = this.queues.isEmpty() ? Map.of(ALL, 1) : this.queues;
		Map<String, Integer> serving = new LinkedHashMap<>();
		configured.forEach((queue, weight) -> {
			Stream<String> meant = queue.equals(ALL)
					? known.keySet().stream().filter((other) -> !configured.containsKey(other)).sorted()
					: Stream.of(queue);
			meant.filter((each) -> !known.getOrDefault(each, false)).forEach((each) -> serving.put(each, weight));
		});
		return serving;
	}

}
