package io.gator.dispatch;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

import io.gator.JobListener;
import io.gator.dispatch.TransactionDispatches.Entry;
import io.gator.dispatch.Transactions.Way;
import io.gator.store.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/**
 * Tells hooks and listeners which jobs were dispatched, once they are committed.
 */
final class AfterCommit {

	private static final Logger logger = LoggerFactory.getLogger(AfterCommit.class);

	private final List<DispatchHook> hooks;

	private final SingletonSupplier<List<JobListener>> listeners;

	AfterCommit(List<DispatchHook> hooks, Iterable<JobListener> listeners) {
		this.hooks = List.copyOf(hooks);
		this.listeners = SingletonSupplier.of(() -> StreamSupport.stream(listeners.spliterator(), false).toList());
	}

	/**
	 * Find the listeners, whose beans are created at the first dispatch. Creating them
	 * may fail, so this has to be called before anything is written.
	 */
	void findListeners() {
		this.listeners.obtain();
	}

	/**
	 * Jobs were dispatched.
	 * @param way how it was written
	 * @param name the name of the jobs
	 * @param queue their queue
	 * @param ids their ids
	 */
	void dispatched(Way way, String name, String queue, List<Long> ids) {
		Entry entry = new Entry(name, queue, ids.size(), this.listeners.obtain().isEmpty() ? List.of() : ids);
		if (way.synchronizing()) {
			transaction(way).add(entry, way.mayCommit());
		}
		else {
			tell(List.of(entry));
		}
	}

	private TransactionDispatches transaction(Way way) {
		if (TransactionSynchronizationManager.getResource(this) instanceof TransactionDispatches known) {
			return known;
		}
		TransactionDispatches created = new TransactionDispatches(this, way.dataSource(), this::tell);
		TransactionSynchronizationManager.registerSynchronization(created);
		TransactionSynchronizationManager.bindResource(this, created);
		return created;
	}

	private void tell(List<Entry> entries) {
		if (entries.isEmpty()) {
			return;
		}
		List<Dispatched> dispatched = together(entries);
		for (DispatchHook hook : this.hooks) {
			quietly(hook, () -> hook.dispatched(dispatched));
		}
		for (JobListener listener : this.listeners.obtain()) {
			for (Entry entry : entries) {
				for (long id : entry.ids()) {
					quietly(listener, () -> listener.dispatched(id, entry.name(), entry.queue()));
				}
			}
		}
	}

	private static List<Dispatched> together(List<Entry> entries) {
		if (entries.size() == 1) {
			// Nearly every dispatch is alone in its transaction, and should not pay for a
			// map.
			Entry only = entries.get(0);
			return List.of(new Dispatched(only.name(), only.queue(), only.count()));
		}
		Map<List<String>, Integer> counts = new LinkedHashMap<>();
		entries.forEach((entry) -> counts.merge(List.of(entry.name(), entry.queue()), entry.count(), Integer::sum));
		return counts.entrySet()
			.stream()
			.map((each) -> new Dispatched(each.getKey().get(0), each.getKey().get(1), each.getValue()))
			.toList();
	}

	private static void quietly(Object called, Runnable call) {
		try {
			call.run();
		}
		catch (Throwable ex) {
			// Also a checked exception: code in Kotlin, for example, does not declare
			// them.
			logger.warn("{} threw when told of a dispatch; the dispatch stands: {}", called.getClass().getName(),
					ErrorText.of(ex));
		}
	}

}
