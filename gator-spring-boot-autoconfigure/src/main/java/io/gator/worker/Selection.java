package io.gator.worker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Shares slots among queues by smooth weighted round robin. In each turn every queue that
 * takes part gains its weight in credit, and the one with the most credit is chosen and
 * pays the sum of the weights: 3:1 is a pattern of A A B A, not a draw of lots. The
 * credit lives from claim to claim, so shares are exact over time, too.
 * <p>
 * A claim has to name its quotas before it knows what is there. So shares are computed
 * ahead on a copy of the credit ({@link #plan}), and the credit is charged afterwards for
 * what was really claimed ({@link #order}). Used by one thread.
 */
final class Selection {

	private final PoolSettings settings;

	private final Map<String, Long> credit = new HashMap<>();

	Selection(PoolSettings settings) {
		this.settings = settings;
	}

	/**
	 * The queues that the pool serves now, with their weights.
	 * @param known all queues, and whether each is paused
	 * @return the queues in their order
	 */
	Map<String, Integer> serving(Map<String, Boolean> known) {
		Map<String, Integer> configured = this.settings.queues();
		Map<String, Integer> serving = new LinkedHashMap<>();
		Predicate<String> paused = (queue) -> known.getOrDefault(queue, false);
		if (configured.isEmpty()) {
			known.keySet().stream().sorted().filter(paused.negate()).forEach((queue) -> serving.put(queue, 1));
			return serving;
		}
		configured.forEach((queue, weight) -> {
			if (!queue.equals(PoolSettings.ALL)) {
				if (!paused.test(queue)) {
					serving.put(queue, weight);
				}
				return;
			}
			known.keySet()
				.stream()
				.filter((other) -> !configured.containsKey(other))
				.filter(paused.negate())
				.sorted()
				.forEach((other) -> serving.put(other, weight));
		});
		return serving;
	}

	/**
	 * The share of each queue in the next jobs.
	 * @param serving the queues with their weights
	 * @param total how many jobs
	 * @return the quotas, in the order in which the queues are served; at least 1 each,
	 * so that a small claim finds work wherever it is, and bounded in sum only by the
	 * total of the claim
	 */
	Map<String, Integer> plan(Map<String, Integer> serving, int total) {
		Map<String, Integer> plan = new LinkedHashMap<>();
		if (this.settings.strict()) {
			serving.keySet().forEach((queue) -> plan.put(queue, total));
			return plan;
		}
		Map<String, Long> ahead = new HashMap<>(this.credit);
		Map<String, Integer> shares = new LinkedHashMap<>();
		int sum = serving.values().stream().mapToInt(Integer::intValue).sum();
		// Whole rounds leave the credit as it was, so only the rest has to be played.
		int rounds = total / sum;
		int rest = total % sum;
		serving.forEach((queue, weight) -> shares.put(queue, rounds * weight));
		for (int turn = 0; turn < rest; turn++) {
			shares.merge(next(serving, ahead), 1, Integer::sum);
		}
		// Those without a share come last and get what the others leave. Among them the
		// credit decides, or the first one would always be the lucky one.
		List<String> order = new ArrayList<>(serving.keySet());
		order.sort(Comparator.<String>comparingInt((queue) -> (shares.getOrDefault(queue, 0) > 0) ? 0 : 1)
			.thenComparing(Comparator.<String>comparingLong((queue) -> ahead.getOrDefault(queue, 0L)).reversed()));
		order.forEach((queue) -> plan.put(queue, Math.max(1, shares.getOrDefault(queue, 0))));
		return plan;
	}

	/**
	 * Put what was claimed in the order in which it is to be run, and charge for it.
	 * @param <T> the type of a job
	 * @param serving the queues with their weights
	 * @param claimed the jobs of each queue, in their order
	 * @return all jobs, interleaved
	 */
	<T> List<T> order(Map<String, Integer> serving, Map<String, List<T>> claimed) {
		List<T> ordered = new ArrayList<>();
		Map<String, Integer> left = new LinkedHashMap<>();
		Map<String, Integer> taken = new HashMap<>();
		serving.forEach((queue, weight) -> {
			if (claimed.containsKey(queue)) {
				left.put(queue, weight);
			}
		});
		// A queue that had nothing must not save up credit for a burst later on.
		this.credit.keySet().retainAll(left.keySet());
		while (!left.isEmpty()) {
			String queue = this.settings.strict() || left.size() == 1 ? left.keySet().iterator().next()
					: next(left, this.credit);
			List<T> jobs = claimed.getOrDefault(queue, List.of());
			if (left.size() == 1) {
				ordered.addAll(jobs.subList(taken.getOrDefault(queue, 0), jobs.size()));
				break;
			}
			int position = taken.merge(queue, 1, Integer::sum);
			ordered.add(jobs.get(position - 1));
			if (position == jobs.size()) {
				left.remove(queue);
			}
		}
		return ordered;
	}

	private static String next(Map<String, Integer> weights, Map<String, Long> credit) {
		String best = "";
		long most = Long.MIN_VALUE;
		long sum = 0;
		for (Map.Entry<String, Integer> entry : weights.entrySet()) {
			int weight = entry.getValue();
			sum += weight;
			long now = credit.merge(entry.getKey(), (long) weight, Long::sum);
			if (now > most) {
				most = now;
				best = entry.getKey();
			}
		}
		credit.merge(best, -sum, Long::sum);
		return best;
	}

}
