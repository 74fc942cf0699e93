package io.gator.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.gator.JobContext;
import io.gator.JobListener;
import io.gator.routing.BufferSpec;
import io.gator.routing.Route;
import io.gator.routing.UnreadableArgumentsException;
import io.gator.store.ErrorText;
import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The run of a batch. Its life is that of an attempt, in which each item may take a way
 * of its own:
 * <ol>
 * <li>items that cannot be handled are sorted out;</li>
 * <li>the handler is called once for all others, and what came of each is settled;</li>
 * <li>those that were sorted out are settled.</li>
 * </ol>
 */
final class BatchRun {

	private static final Logger logger = LoggerFactory.getLogger("io.gator.jobs");

	private final AttemptServices services;

	private final Route route;

	private final Batch batch;

	private final Settlements settlements;

	BatchRun(AttemptServices services, Route route, Batch batch, Settlements settlements) {
		this.services = services;
		this.route = route;
		this.batch = batch;
		this.settlements = settlements;
	}

	void run() {
		ThreadState.enter(this.batch.items().get(0));
		try {
			Sorted sorted = sort();
			Execution.Stop stop = sorted.open.isEmpty() ? this.batch.endHandling(this.route.name())
					: handle(sorted.open);
			if (Execution.mustGoBack(stop)) {
				this.batch.release(this.settlements);
			}
			else {
				settleUnhandled(sorted);
			}
		}
		finally {
			ThreadState.leave(this.route.name());
		}
	}

	/**
	 * Settle the items that were cancelled, read the others, and tell those that can be
	 * handled from those that cannot.
	 */
	private Sorted sort() {
		Sorted sorted = new Sorted(new ArrayList<>(this.batch.size()), new ArrayList<>(), new ArrayList<>(),
				new ArrayList<>());
		for (BatchItem item : this.batch.items()) {
			if (item.job.cancelRequested() || this.batch.stopReason() == Execution.Stop.CANCELLED) {
				item.settle(this.settlements, new Settlement.Cancelled(item.id(), item.lease(), null),
						Settlements.NOTHING);
				executed(item, AttemptOutcome.CANCELLED, 0);
				continue;
			}
			Throwable error = read(item);
			if (!this.route.retry().allowsAttempt(item.attempt())) {
				item.markSpent();
				item.error = Verdict.noAttemptError(item.job);
				sorted.spent.add(item);
			}
			else if (error == null) {
				sorted.open.add(item);
			}
			else {
				item.error = error;
				// A class that cannot be loaded here may be sound in another process.
				(error instanceof UnreadableArgumentsException ? sorted.unreadableAnywhere : sorted.unreadableHere)
					.add(item);
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
	private void settleUnhandled(Sorted sorted) {
		if (!sorted.unreadableHere.isEmpty()) {
			settleAttempted(sorted.unreadableHere, null, null, 0);
		}
		if (!sorted.unreadableAnywhere.isEmpty()) {
			bury(sorted.unreadableAnywhere, 0);
		}
		// Apart, so that an item whose call of @OnDead ends processes does not cost the
		// others their call.
		Map<Boolean, List<BatchItem>> spent = sorted.spent.stream()
			.collect(Collectors.partitioningBy((item) -> OnDeadCall.isGivenUp(this.route, item)));
		spent.values().stream().filter((items) -> !items.isEmpty()).forEach(this::burySpent);
	}

	private void burySpent(List<BatchItem> items) {
		ThreadState.enter(items.get(0));
		bury(items, 0);
	}

	private void executed(BatchItem item, AttemptOutcome ended, long nanos) {
		this.services.metrics().executed(item.name(), item.queue(), ended, nanos);
	}

	private Execution.@Nullable Stop handle(List<BatchItem> open) {
		long start = System.nanoTime();
		BatchItem first = open.get(0);
		ThreadState.enter(first);
		Throwable failure = null;
		try {
			HandlerCalls calls = this.services.calls();
			for (BatchItem item : open) {
				this.services.metrics().waited(item.name(), item.queue(), this.batch.waitedNanos(item.job, start));
				calls.tell((listener) -> listener.started(item));
			}
			this.batch.dropInterruptOfOthers();
			this.batch.scheduleTimeout(this.services.timer(), this.route.timeout());
			calls.call(first, first.job.metadata(), () -> call(open, first));
			this.batch.failIfTimedOut(this.route);
			ThreadState.requireNoTransaction();
		}
		catch (Throwable ex) {
			failure = ex;
		}
		Execution.Stop stop = this.batch.endHandling(this.route.name());
		failure = (failure != null) ? Verdict.errorOf(this.route, failure, stop) : null;
		settleAttempted(open, failure, stop, System.nanoTime() - start);
		return stop;
	}

	private @Nullable Object call(List<BatchItem> open, JobContext context) throws Throwable {
		List<@Nullable Object> values = new ArrayList<>(open.size());
		open.forEach((item) -> values.add(item.value));
		BufferSpec spec = Objects.requireNonNull(this.route.buffered());
		Object batch = spec.partial() ? new PartialBatch(values, open) : values;
		return this.route.invoke(new Object[] { batch }, context);
	}

	private void settleAttempted(List<BatchItem> open, @Nullable Throwable failure, Execution.@Nullable Stop stop,
			long nanos) {
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
				ended = succeeded(item);
			}
			else {
				int limit = (failure != null) ? limitAfter(item.attempt(), open.size()) : 0;
				ended = failed(item, error, stop, limit, dead);
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
			logger.debug("Ended without an error: {}", this.batch.describe());
		}
		if (!dead.isEmpty()) {
			bury(dead, nanos / open.size());
		}
	}

	private AttemptOutcome succeeded(BatchItem item) {
		item.settle(this.settlements,
				new Settlement.Succeeded(item.id(), item.lease(), null,
						this.services.links().afterSuccess(item.job, this.route, null)),
				later((listener) -> listener.succeeded(item)));
		return AttemptOutcome.SUCCEEDED;
	}

	private AttemptOutcome failed(BatchItem item, Throwable error, Execution.@Nullable Stop stop, int limit,
			List<BatchItem> dead) {
		Verdict verdict = Verdict.of(item, this.route, error, stop, limit);
		Settlement settlement = verdict.settlement();
		if (settlement == null) {
			item.text = verdict.text();
			dead.add(item);
		}
		else {
			item.settle(this.settlements, settlement, (verdict.outcome() == AttemptOutcome.FAILED)
					? later((listener) -> listener.failed(item, error)) : Settlements.NOTHING);
		}
		return verdict.outcome();
	}

	private Runnable later(Consumer<JobListener> event) {
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
	private void bury(List<BatchItem> dead, long nanos) {
		dead.forEach((item) -> item.chargeIfBrokenOff(item.reasonText()));
		BatchItem first = dead.get(0);
		// The pool may have ended while @OnDead was called for other items of the batch.
		boolean over = this.route.hasOnDead() && Execution.mustGoBack(this.batch.stopReason());
		String onDeadError = over ? null : OnDeadCall.call(this.route, () -> readOf(dead), first.reason(), first);
		if (over || onDeadError != null && this.batch.stopReason() != null) {
			logger.warn("@OnDead of {} was broken off: its jobs go back", this.route.name());
			for (BatchItem item : dead) {
				item.release(this.settlements);
				executed(item, AttemptOutcome.RELEASED, nanos);
			}
			return;
		}
		for (BatchItem item : dead) {
			item.settle(this.settlements,
					item.died(item.reasonText(), onDeadError, this.services.links().afterDeath(item.job, this.route)),
					later((listener) -> listener.dead(item, item.reason())));
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
	 * The items, by what can be done with them.
	 *
	 * @param open those that can be handled
	 * @param unreadableHere those that could not be read here, but perhaps elsewhere
	 * @param unreadableAnywhere those that nobody can read
	 * @param spent those that have no attempt left
	 */
	private record Sorted(List<BatchItem> open, List<BatchItem> unreadableHere, List<BatchItem> unreadableAnywhere,
			List<BatchItem> spent) {

	}

}
