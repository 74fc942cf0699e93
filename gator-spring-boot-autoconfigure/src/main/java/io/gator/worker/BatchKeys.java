package io.gator.worker;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.gator.routing.ArgsCodec;
import io.gator.routing.Route;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;
import io.gator.store.StoreException;
import org.jspecify.annotations.Nullable;

/**
 * Makes sure that the items of a batch have one key. A process that dispatches by name
 * alone, without the handler, does not know by which property items are kept apart, and
 * another version of the application may know another property, so claimed items may turn
 * out to have different keys. Used by the poller.
 */
final class BatchKeys {

	private final JobStore store;

	private final ArgsCodec codec;

	BatchKeys(JobStore store, ArgsCodec codec) {
		this.store = store;
		this.codec = codec;
	}

	/**
	 * Release, with their keys, the items of a batch that has several keys.
	 * @param route their job
	 * @param items the items
	 * @return those that stay in the batch
	 */
	List<ClaimedJob> regroupIfMixed(Route route, List<ClaimedJob> items) {
		Set<@Nullable String> keys = new HashSet<>();
		List<JobStore.Regrouped> keyed = new ArrayList<>();
		for (ClaimedJob item : items) {
			String key = key(route, item);
			keys.add(key);
			if (key != null) {
				keyed.add(new JobStore.Regrouped(item.id(), item.lease(), key));
			}
		}
		if (keys.size() == 1) {
			return items;
		}
		Set<Long> back = regroup(keyed);
		return items.stream().filter((item) -> !back.contains(item.id())).toList();
	}

	/**
	 * The items are claimed but in no batch. If releasing them fails, for whatever
	 * reason, they must be looked for as after a claim whose answer was lost; so what is
	 * thrown is not a {@link StoreException}.
	 */
	private Set<Long> regroup(List<JobStore.Regrouped> items) {
		try {
			return this.store.regroup(items);
		}
		catch (StoreException ex) {
			throw new IllegalStateException("Items of different keys could not be given back", ex);
		}
	}

	/** An item that nobody can read has no key, and its batch finds out why. */
	private @Nullable String key(Route route, ClaimedJob item) {
		try {
			return this.codec.batchKey(route, item.args());
		}
		catch (Exception ex) {
			return null;
		}
	}

}
