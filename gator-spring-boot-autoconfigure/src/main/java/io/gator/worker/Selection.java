package io.gator.worker;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

	/** The queues that had no more jobs in the last claim that brought any. */
	private Set<String> dry = Set.of();

	Selection(PoolSettings settings) {
		this.settings = settings;
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
		List<Player<Void>> players = new ArrayList<>(serving.size());
		serving.forEach((queue, weight) -> players.add(player(queue, weight, true, Collections.emptyIterator())));
		share(players, total);
		share(players.stream().filter((player) -> !isDry(player)).toList(),
				players.stream().filter(this::isDry).mapToInt((player) -> player.share).sum());
		// Those without a share come last and get what the others leave. Among them the
		// credit decides, or the first one would always get it.
		players.sort(Comparator.<Player<Void>>comparingInt(this::rank)
			.thenComparing(Comparator.<Player<Void>>comparingLong((player) -> player.credit).reversed()));
		players.forEach((player) -> plan.put(player.queue, Math.max(1, player.share)));
		return plan;
	}

	private int rank(Player<?> player) {
		if (player.share == 0) {
			return 2;
		}
		return isDry(player) ? 0 : 1;
	}

	/**
	 * Whether the queue had no more jobs in the last claim that brought any. It is asked
	 * first, for its share, and the others are asked for that share too: if the queue has
	 * jobs again the claim stops at its total; if not, the others fill the room without a
	 * second statement.
	 */
	private boolean isDry(Player<?> player) {
		return this.dry.contains(player.queue);
	}

	private static void share(List<Player<Void>> players, int total) {
		if (players.isEmpty()) {
			return;
		}
		int sum = players.stream().mapToInt((player) -> player.weight).sum();
		// Whole rounds leave the credit as it was, so only the rest has to be played.
		int rounds = total / sum;
		players.forEach((player) -> player.share += rounds * player.weight);
		for (int turn = rounds * sum; turn < total; turn++) {
			next(players).share++;
		}
	}

	/**
	 * Put what was claimed in the order in which it is to be run, and charge for it. A
	 * queue that the claim did not come to, because it was full before, gains credit all
	 * the same. Otherwise claims for one slot at a time would always serve the heaviest
	 * queue.
	 * @param <T> the type of a job
	 * @param serving the queues with their weights
	 * @param claimed the jobs of each queue, in their order
	 * @param empty the queues that certainly have no more
	 * @return all jobs, interleaved
	 */
	<T> List<T> order(Map<String, Integer> serving, Map<String, List<T>> claimed, Set<String> empty) {
		this.dry = Set.copyOf(empty);
		List<T> ordered = new ArrayList<>();
		if (this.settings.strict()) {
			serving.keySet().forEach((queue) -> ordered.addAll(claimed.getOrDefault(queue, List.of())));
			return ordered;
		}
		List<Player<T>> players = new ArrayList<>(serving.size());
		int left = 0;
		for (Map.Entry<String, Integer> queue : serving.entrySet()) {
			List<T> jobs = claimed.getOrDefault(queue.getKey(), List.of());
			left += jobs.size();
			if (!jobs.isEmpty() || !empty.contains(queue.getKey())) {
				players.add(player(queue.getKey(), queue.getValue(), !jobs.isEmpty(), jobs.iterator()));
			}
		}
		// A queue that had nothing must not save up credit for a burst later on.
		this.credit.clear();
		List<Player<T>> all = List.copyOf(players);
		for (; left > 0; left--) {
			Player<T> player = next(players);
			ordered.add(player.jobs.next());
			if (!player.jobs.hasNext()) {
				player.eligible = false;
				if (empty.contains(player.queue)) {
					players.remove(player);
				}
			}
		}
		all.forEach((player) -> this.credit.put(player.queue, player.credit));
		return ordered;
	}

	private <T> Player<T> player(String queue, int weight, boolean eligible, Iterator<T> jobs) {
		return new Player<>(queue, weight, this.credit.getOrDefault(queue, 0L), eligible, jobs);
	}

	/**
	 * Play one turn. Called once for each job, and goes over all queues, so it looks
	 * nothing up.
	 * @param players the queues that take part, one of them eligible at least
	 * @return the one that was chosen
	 */
	private static <T> Player<T> next(List<Player<T>> players) {
		Player<T> best = players.get(0);
		long most = Long.MIN_VALUE;
		long sum = 0;
		for (Player<T> player : players) {
			sum += player.weight;
			player.credit += player.weight;
			if (player.credit > most && player.eligible) {
				most = player.credit;
				best = player;
			}
		}
		best.credit -= sum;
		return best;
	}

	/**
	 * A queue that takes part in the turns.
	 *
	 * @param <T> the type of a job
	 */
	private static final class Player<T> {

		private final String queue;

		private final int weight;

		private final Iterator<T> jobs;

		private long credit;

		private boolean eligible;

		private int share;

		private Player(String queue, int weight, long credit, boolean eligible, Iterator<T> jobs) {
			this.queue = queue;
			this.weight = weight;
			this.credit = credit;
			this.eligible = eligible;
			this.jobs = jobs;
		}

	}

}
