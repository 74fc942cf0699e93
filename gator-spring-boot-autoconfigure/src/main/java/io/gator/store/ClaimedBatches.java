package io.gator.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Makes batches of claimed items again: those of a job with the same key and the same
 * limit, as many at a time as fill a batch.
 */
final class ClaimedBatches {

	private static final Comparator<Item> OLDEST_FIRST = Comparator.comparingDouble(Item::since)
		.thenComparingLong((item) -> item.job().id());

	private final List<BatchRequest.Buffered> jobs;

	private final Map<String, Integer> numbers = new HashMap<>();

	private final List<Item> items = new ArrayList<>();

	ClaimedBatches(BatchRequest request) {
		this.jobs = request.jobs();
		for (int n = 0; n < this.jobs.size(); n++) {
			for (String name : this.jobs.get(n).names()) {
				this.numbers.put(name, n);
			}
		}
	}

	/**
	 * Add an item.
	 * @param job the item
	 * @param key its key, which may be one from before its job had none
	 * @param limit the most items of its batch, if it has a limit of its own
	 */
	void add(ClaimedJob job, @Nullable String key, @Nullable Integer limit) {
		int number = Objects.requireNonNull(this.numbers.get(job.name()));
		BatchRequest.Buffered buffered = this.jobs.get(number);
		int fills = (limit != null) ? Math.max(1, Math.min(limit, buffered.size())) : buffered.size();
		this.items.add(new Item(job, new Group(number, buffered.keyed() ? key : null, fills)));
	}

	/**
	 * The batches.
	 * @return the items of each, the batch with the oldest item first
	 */
	List<List<ClaimedJob>> toList() {
		this.items.sort(OLDEST_FIRST);
		List<List<ClaimedJob>> batches = new ArrayList<>();
		Map<Group, List<ClaimedJob>> open = new HashMap<>();
		for (Item item : this.items) {
			List<ClaimedJob> batch = open.get(item.group());
			if (batch == null || batch.size() == item.group().fills()) {
				batch = new ArrayList<>();
				batches.add(batch);
				open.put(item.group(), batch);
			}
			batch.add(item.job());
		}
		return batches;
	}

	private record Group(int number, @Nullable String key, int fills) {

	}

	private record Item(ClaimedJob job, Group group) {

		double since() {
			return this.job.isDelayed() ? this.job.dueAt() : this.job.createdAt();
		}

	}

}
