package io.gator.worker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import io.gator.JobContext;
import io.gator.routing.BufferSpec;
import io.gator.routing.Route;
import io.gator.routing.UnreadableArgumentsException;
import io.gator.store.ClaimedJob;
import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of several items of a buffered job, handled by one call. Each item keeps
 * its own attempts, error and end.
 */
final class Batch extends Execution {

	private static final Logger logger = LoggerFactory.getLogger("io.gator.jobs");

	private final AttemptServices services;

	private final Route route;

	private final List<BatchItem> items;

	private final Counter counter;

	Batch(AttemptServices services, List<ClaimedJob> jobs, Route route, long worker, long claimedAtNanos,
			Counter counter) {
		super(worker, claimedAtNanos);
		this.services = services;
		this.route = route;
		this.counter = counter;
		this.items = new ArrayList<>(jobs.size());
		jobs.stream()
			.sorted(Comparator.comparingLong(ClaimedJob::id))
			.forEach((job) -> this.items.add(new BatchItem(this, job)));
	}

	@Override
	Collection<Long> ids() {
		return this.items.stream().map(BatchItem::id).toList();
	}

	@Override
	int size() {
		return this.items.size();
	}

	@Override
	String describe() {
		BatchItem first = this.items.get(0);
		return "a batch of " + this.items.size() + " jobs from " + first.id() + " on (" + this.route.name()
				+ " on queue " + first.queue() + ")";
	}

	@Override
	void release(Settlements settlements) {
		this.items.stream()
			.filter((item) -> !item.isDecided)
			.forEach((item) -> settle(item, item.back(), Settlements.NOTHING, settlements));
		tellEnd();
	}

	private void settle(BatchItem item, Settlement settlement, Runnable landed, Settlements settlements) {
		settlements.settle(this, settlement, landed);
		// Only now: an item whose settlement found no memory must still be able to go
		// back.
		item.isDecided = true;
	}

	/**
	 * Count it among those that run from now on.
	 */
	void tellBegin() {
		this.counter.begins();
	}

	/**
	 * Count it no more. May be called more than once, because a batch that ended with an
	 * unforeseen error is released as well.
	 */
	void tellEnd() {
		this.counter.ends();
	}

	@Override
	void slotReplaced() {
		this.counter.leavesSlot();
	}

	@Override
	void run(Settlements settlements) {
		if (mustGoBack(stopped())) {
			release(settlements);
			return;
		}
		ThreadState.enter(this.items.get(0));
		try {
			Sorted sorted = sort(settlements);
			Stop stop = sorted.open.isEmpty() ? handled(this.route.name()) : handle(sorted.open, settlements);
			if (mustGoBack(stop)) {
				release(settlements);
			}
			else {
				settleUnhandled(sorted, settlements);
			}
		}
		finally {
			ThreadState.leave(this.route.name());
			tellEnd();
		}
	}

	/**
	 * Settle the items that were cancelled, read the others, and tell those that can be
	 * handled from those that cannot.
	 */
	private Sorted sort(Settlements settlements) {
		Sorted sorted = new Sorted(new ArrayList<>(this.items.size()), new ArrayList<>(), new ArrayList<>(),
				new ArrayList<>());
		for (BatchItem item : this.items) {
			if (item.job.cancelRequested() || stopped() == Stop.CANCELLED) {
				settle(item, new Settlement.Cancelled(item.id(), item.lease(), null), Settlements.NOTHING, settlements);
				executed(item, AttemptOutcome.CANCELLED, 0);
				continue;
			}
			Throwable unread = read(item);
			if (!this.route.retry().allowsAttempt(item.attempt())) {
				item.noAttemptIsLeft();
				item.error = Verdict.noAttemptIsLeft(item.job);
				sorted.spent.add(item);
			}
			else if (unread == null) {
				sorted.open.add(item);
			}
			else {
				item.error = unread;
				// A class that cannot be loaded here may be sound in another process.
				(unread instanceof UnreadableArgumentsException ? sorted.unreadable : sorted.unread).add(item);
			}
		}
		return sorted;
	}

	private @Nullable Throwable read(BatchItem item) {
		try {
			item.value = this.services.codec().decode(this.route, item.job.args())[0];
			item.isRead = true;
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	/** To be called after the handler, so that {@code @OnDead} does not delay it. */
	private void settleUnhandled(Sorted sorted, Settlements settlements) {
		if (!sorted.unread.isEmpty()) {
			settleAttempted(sorted.unread, null, null, 0, settlements);
		}
		if (!sorted.unreadable.isEmpty()) {
			bury(sorted.unreadable, 0, settlements);
		}
		// Apart, so that an item whose call of @OnDead ends processes does not cost the
		// others their call.
		Map<Boolean, List<BatchItem>> spent = sorted.spent.stream()
			.collect(Collectors.partitioningBy((item) -> OnDeadCall.isGivenUp(this.route, item)));
		spent.values().stream().filter((items) -> !items.isEmpty()).forEach((items) -> burySpent(items, settlements));
	}

	private void burySpent(List<BatchItem> items, Settlements settlements) {
		ThreadState.enter(items.get(0));
		bury(items, 0, settlements);
	}

	private void executed(BatchItem item, AttemptOutcome ended, long nanos) {
		this.services.metrics().executed(item.name(), item.queue(), ended, nanos);
	}

	private @Nullable Stop handle(List<BatchItem> open, Settlements settlements) {
		long start = System.nanoTime();
		BatchItem first = open.get(0);
		ThreadState.enter(first);
		Throwable failure = null;
		try {
			HandlerCalls calls = this.services.calls();
			for (BatchItem item : open) {
				this.services.metrics().waited(item.name(), item.queue(), waitedNanos(item.job, start));
				calls.tell((listener) -> listener.started(item));
			}
			scheduleTimeout(this.services.clock(), this.route.timeout());
			calls.call(first, first.job.metadata(), () -> call(open, first));
			failIfTimedOut(this.route);
			ThreadState.requireNoTransaction();
		}
		catch (Throwable ex) {
			failure = ex;
		}
		Stop stop = handled(this.route.name());
		failure = (failure != null) ? Verdict.errorOf(this.route, failure, stop) : null;
		settleAttempted(open, failure, stop, System.nanoTime() - start, settlements);
		return stop;
	}

	private @Nullable Object call(List<BatchItem> open, JobContext context) throws Throwable {
		List<@Nullable Object> values = new ArrayList<>(open.size());
		open.forEach((item) -> values.add(item.value));
		BufferSpec spec = Objects.requireNonNull(this.route.buffered());
		Object batch = spec.partial() ? new PartialBatch(values, open) : values;
		return this.route.invoke(new Object[] { batch }, context);
	}

	private void settleAttempted(List<BatchItem> open, @Nullable Throwable failure, @Nullable Stop stop, long nanos,
			Settlements settlements) {
		List<BatchItem> dead = new ArrayList<>();
		int failed = 0;
		Throwable firstError = null;
		for (BatchItem item : open) {
			AttemptOutcome ended;
			if (failure != null) {
				item.error = failure;
			}
			Throwable error = item.error;
			if (error == null) {
				settle(item,
						new Settlement.Succeeded(item.id(), item.lease(), null,
								this.services.links().afterSuccess(item.job, null)),
						later((listener) -> listener.succeeded(item)), settlements);
				ended = AttemptOutcome.SUCCEEDED;
			}
			else {
				int limit = (failure != null) ? limitAfter(item.attempt(), open.size()) : 0;
				ended = failed(item, error, stop, limit, dead, settlements);
				if (ended == AttemptOutcome.FAILED || ended == AttemptOutcome.DEAD) {
					failed++;
					firstError = (firstError != null) ? firstError : error;
				}
			}
			if (ended != AttemptOutcome.DEAD) {
				executed(item, ended, nanos / open.size());
			}
		}
		if (firstError != null) {
			logger.warn("Failed: {} of {} jobs from {} on ({} on queue {}), of which {} are dead. {}", failed,
					open.size(), open.get(0).id(), this.route.name(), open.get(0).queue(), dead.size(),
					ErrorText.of(firstError));
		}
		else {
			logger.debug("Ended without an error: {}", describe());
		}
		if (!dead.isEmpty()) {
			bury(dead, nanos / open.size(), settlements);
		}
	}

	private AttemptOutcome failed(BatchItem item, Throwable error, @Nullable Stop stop, int limit, List<BatchItem> dead,
			Settlements settlements) {
		Verdict verdict = Verdict.of(item, this.route, error, stop, limit);
		Settlement settlement = verdict.settlement();
		if (settlement == null) {
			item.text = verdict.text();
			dead.add(item);
		}
		else {
			settle(item, settlement, (verdict.outcome() == AttemptOutcome.FAILED)
					? later((listener) -> listener.failed(item, error)) : Settlements.NOTHING, settlements);
		}
		return verdict.outcome();
	}

	private Runnable later(HandlerCalls.Event event) {
		return this.services.calls().later(event);
	}

	/**
	 * How many items may share the next batch after this one failed as a whole: from the
	 * second failure on half as many, so that a poisoned item is found and does not kill
	 * its neighbours. Where too few attempts are left for halving, the parts are smaller;
	 * in its last attempt each item is alone.
	 */
	private int limitAfter(int attempt, int size) {
		int left = this.route.retry().unlimited() ? Integer.MAX_VALUE : this.route.retry().maxRetries() - (attempt - 1);
		if (size == 1) {
			return 1;
		}
		int halved = (attempt >= 2) ? (size + 1) / 2 : size;
		// The largest part that halving brings down to one item in the attempts that are
		// left.
		int most = (left <= 1) ? 1 : (left > 30) ? Integer.MAX_VALUE : 1 << (left - 1);
		int limit = Math.min(halved, most);
		return (limit >= Objects.requireNonNull(this.route.buffered()).size()) ? 0 : limit;
	}

	/**
	 * Settle items as dead, after one call of {@code @OnDead} for all of them.
	 */
	private void bury(List<BatchItem> dead, long nanos, Settlements settlements) {
		dead.forEach((item) -> item.chargeIfBrokenOff(item.reasonText()));
		BatchItem first = dead.get(0);
		// The pool may have ended while @OnDead was called for other items of the batch.
		boolean over = this.route.hasOnDead() && mustGoBack(stopped());
		String onDeadError = over ? null : OnDeadCall.call(this.route, () -> readOf(dead), first.reason(), first);
		if (over || onDeadError != null && stopped() != null) {
			logger.warn("@OnDead of {} was broken off: its jobs go back", this.route.name());
			for (BatchItem item : dead) {
				settle(item, item.back(), Settlements.NOTHING, settlements);
				executed(item, AttemptOutcome.RELEASED, nanos);
			}
			return;
		}
		for (BatchItem item : dead) {
			settle(item, item.died(item.reasonText(), onDeadError, this.services.links().afterDeath(item.job)),
					later((listener) -> listener.dead(item, item.reason())), settlements);
			executed(item, AttemptOutcome.DEAD, nanos);
		}
		logger.error("Dead: {} jobs from {} on ({} on queue {}). {}{}", dead.size(), first.id(), this.route.name(),
				first.queue(), ErrorText.of(first.reason()), (onDeadError != null) ? onDeadError : "");
	}

	private static @Nullable Object @Nullable [] readOf(List<BatchItem> dead) {
		List<@Nullable Object> values = new ArrayList<>(dead.size());
		dead.stream().filter((item) -> item.isRead).forEach((item) -> values.add(item.value));
		return values.isEmpty() ? null : new @Nullable Object[] { values };
	}

	/**
	 * Counts a batch. May be told the same more than once.
	 */
	interface Counter {

		/** It is to run. */
		void begins();

		/** It goes on, but another slot has taken the place of its slot. */
		void leavesSlot();

		/** It runs no more. */
		void ends();

	}

	/**
	 * The items, by what can be done with them.
	 *
	 * @param open those that can be handled
	 * @param unread those that could not be read here
	 * @param unreadable those that nobody can read
	 * @param spent those that have no attempt left
	 */
	private record Sorted(List<BatchItem> open, List<BatchItem> unread, List<BatchItem> unreadable,
			List<BatchItem> spent) {

	}

}
