package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

import io.gator.JobCancelledException;
import io.gator.JobContext;
import io.gator.JobSnoozedException;
import io.gator.routing.BufferSpec;
import io.gator.routing.RetryOutcome;
import io.gator.routing.RetryRule;
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

	private final Attempts attempts;

	private final Route route;

	private final List<BatchItem> items;

	private final Runnable done;

	private final AtomicBoolean isDone = new AtomicBoolean();

	Batch(Attempts attempts, List<ClaimedJob> jobs, Route route, long worker, long claimedAtNanos, Runnable done) {
		super(worker, claimedAtNanos);
		this.attempts = attempts;
		this.route = route;
		this.done = done;
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
	void release(Outcome outcome) {
		this.items.stream()
			.filter((item) -> !item.isDecided)
			.forEach((item) -> settle(item, item.back(), Outcome.NOTHING, outcome));
		done();
	}

	private void settle(BatchItem item, Settlement settlement, Runnable landed, Outcome outcome) {
		item.isDecided = true;
		outcome.settle(this, settlement, landed);
	}

	/** Once, though a batch that failed in a way nobody foresaw is released as well. */
	private void done() {
		if (this.isDone.compareAndSet(false, true)) {
			this.done.run();
		}
	}

	@Override
	void run(Outcome outcome) {
		if (isOver(stopped())) {
			release(outcome);
			return;
		}
		ThreadState.enter(this.items.get(0));
		try {
			Sorted sorted = sort(outcome);
			Stop stop = sorted.open.isEmpty() ? handled(this.route.name()) : handle(sorted.open, outcome);
			if (isOver(stop)) {
				release(outcome);
			}
			else {
				settleUnhandled(sorted, outcome);
			}
		}
		finally {
			ThreadState.leave(this.route.name());
			done();
		}
	}

	/**
	 * Settle the items that were cancelled, read the others, and tell those that can be
	 * handled from those that cannot.
	 */
	private Sorted sort(Outcome outcome) {
		Sorted sorted = new Sorted(new ArrayList<>(this.items.size()), new ArrayList<>(), new ArrayList<>(),
				new ArrayList<>());
		Throwable reason = Attempt.noAttemptIsLeft();
		for (BatchItem item : this.items) {
			if (item.job.cancelRequested() || stopped() == Stop.CANCELLED) {
				settle(item, new Settlement.Cancelled(item.id(), item.lease(), null), Outcome.NOTHING, outcome);
				executed(item, AttemptOutcome.CANCELLED, 0);
				continue;
			}
			Throwable unread = read(item);
			if (!this.route.retry().allowsAttempt(item.attempt())) {
				item.error = reason;
				sorted.spent.add(item);
			}
			else if (unread == null) {
				sorted.open.add(item);
			}
			else {
				item.error = unread;
				// A class that cannot be loaded here may be sound in another process.
				(unread instanceof UnreadableArgumentsException ? sorted.unreadable : sorted.failed).add(item);
			}
		}
		return sorted;
	}

	private @Nullable Throwable read(BatchItem item) {
		try {
			item.value = this.attempts.codec().decode(this.route, item.job.args())[0];
			item.isRead = true;
			return null;
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	/** After the handler, so that what is called for the dead does not delay it. */
	private void settleUnhandled(Sorted sorted, Outcome outcome) {
		if (!sorted.failed.isEmpty()) {
			settle(sorted.failed, null, null, 0, outcome);
		}
		if (!sorted.unreadable.isEmpty()) {
			bury(sorted.unreadable, true, 0, outcome);
		}
		if (!sorted.spent.isEmpty()) {
			bury(sorted.spent, false, 0, outcome);
		}
	}

	private void executed(BatchItem item, AttemptOutcome ended, long nanos) {
		this.attempts.metrics().executed(item.name(), item.queue(), ended, nanos);
	}

	private @Nullable Stop handle(List<BatchItem> open, Outcome outcome) {
		long start = System.nanoTime();
		BatchItem first = open.get(0);
		ThreadState.enter(first);
		Throwable failure = null;
		try {
			HandlerCalls calls = this.attempts.calls();
			for (BatchItem item : open) {
				this.attempts.metrics()
					.waited(item.name(), item.queue(),
							(long) (item.job.waited() * 1e9) + Math.max(0, start - claimedAtNanos()));
				if (calls.hasListeners()) {
					calls.tell((listener) -> listener.started(item));
				}
			}
			this.attempts.scheduleTimeout(this, this.route.timeout());
			calls.call(first, first.job.metadata(), () -> call(open, first));
			if (stopped() == Stop.TIMED_OUT) {
				failure = new JobTimeoutException(Objects.requireNonNullElse(this.route.timeout(), Duration.ZERO),
						null);
			}
			else {
				ThreadState.requireNoTransaction();
			}
		}
		catch (Throwable ex) {
			failure = (stopped() == Stop.TIMED_OUT)
					? new JobTimeoutException(Objects.requireNonNullElse(this.route.timeout(), Duration.ZERO), ex) : ex;
		}
		Stop stop = handled(this.route.name());
		settle(open, failure, stop, System.nanoTime() - start, outcome);
		return stop;
	}

	private @Nullable Object call(List<BatchItem> open, JobContext context) throws Throwable {
		List<@Nullable Object> values = new ArrayList<>(open.size());
		open.forEach((item) -> values.add(item.value));
		BufferSpec spec = Objects.requireNonNull(this.route.buffered());
		return spec.partial() ? this.route.invokeBatch(new PartialBatch(values, open), context)
				: this.route.invokeBatch(values, context);
	}

	private void settle(List<BatchItem> open, @Nullable Throwable failure, @Nullable Stop stop, long nanos,
			Outcome outcome) {
		List<BatchItem> dead = new ArrayList<>();
		int failed = 0;
		for (BatchItem item : open) {
			AttemptOutcome ended;
			if (failure != null) {
				item.error = failure;
			}
			Throwable error = item.error;
			if (error == null) {
				HandlerCalls calls = this.attempts.calls();
				Settlement.Link next = ChainLinks.afterSuccess(item.job, null, this.attempts.routes(),
						this.attempts.codec());
				settle(item, new Settlement.Succeeded(item.id(), item.lease(), null, next), calls.hasListeners()
						? () -> calls.tell((listener) -> listener.succeeded(item)) : Outcome.NOTHING, outcome);
				ended = AttemptOutcome.SUCCEEDED;
			}
			else {
				ended = failed(item, error, stop, failure != null, open.size(), dead, outcome);
				failed++;
			}
			if (ended != AttemptOutcome.DEAD) {
				executed(item, ended, nanos / open.size());
			}
		}
		if (failed > 0) {
			logger.warn("Failed: {} of {} jobs from {} on ({} on queue {}), of which {} are dead. {}", failed,
					open.size(), open.get(0).id(), this.route.name(), open.get(0).queue(), dead.size(),
					(failure != null) ? ErrorText.of(failure) : "");
		}
		else {
			logger.debug("Succeeded: {}", describe());
		}
		if (!dead.isEmpty()) {
			bury(dead, true, nanos / open.size(), outcome);
		}
	}

	private AttemptOutcome failed(BatchItem item, Throwable error, @Nullable Stop stop, boolean whole, int size,
			List<BatchItem> dead, Outcome outcome) {
		if (stop == Stop.SHUTDOWN) {
			settle(item, Settlement.Requeued.released(item.job), Outcome.NOTHING, outcome);
			return AttemptOutcome.RELEASED;
		}
		if (stop == Stop.FENCED) {
			settle(item, Settlement.Requeued.charged(item.job, ErrorText.of(error)), Outcome.NOTHING, outcome);
			return AttemptOutcome.RELEASED;
		}
		if (error instanceof JobSnoozedException snoozed) {
			settle(item, Settlement.Requeued.snoozed(item.job, RetryRule.bounded(snoozed.delay())), Outcome.NOTHING,
					outcome);
			return AttemptOutcome.SNOOZED;
		}
		if (stop == Stop.CANCELLED || error instanceof JobCancelledException) {
			String reason = (error instanceof JobCancelledException) ? ErrorText.messageOf(error) : null;
			settle(item, new Settlement.Cancelled(item.id(), item.lease(), reason), Outcome.NOTHING, outcome);
			return AttemptOutcome.CANCELLED;
		}
		RetryOutcome decision = this.route.retry().decide(error, item.retryCount());
		Duration delay = decision.delay();
		if (delay == null) {
			dead.add(item);
			return AttemptOutcome.DEAD;
		}
		int limit = whole ? limitAfter(item.attempt(), size) : 0;
		HandlerCalls calls = this.attempts.calls();
		settle(item,
				new Settlement.Requeued(item.id(), item.lease(), delay, decision.queue(), ErrorText.of(error), true,
						limit),
				calls.hasListeners() ? () -> calls.tell((listener) -> listener.failed(item, error)) : Outcome.NOTHING,
				outcome);
		return AttemptOutcome.FAILED;
	}

	/**
	 * How many items may share the next batch after this one failed as a whole: from the
	 * second time on halves, so that a poisoned item is found and does not kill its
	 * neighbours. Where the attempts that are left would not do for halving, the parts
	 * get smaller, and the last attempt is always made alone.
	 */
	private int limitAfter(int attempt, int size) {
		int left = this.route.retry().unlimited() ? Integer.MAX_VALUE : this.route.retry().maxRetries() - (attempt - 1);
		if (size == 1) {
			return 1;
		}
		int halved = (attempt >= 2) ? (size + 1) / 2 : size;
		// In so many attempts, from a part of this size, halving comes down to one.
		int most = (left <= 1) ? 1 : (left > 30) ? Integer.MAX_VALUE : 1 << (left - 1);
		int limit = Math.min(halved, most);
		return (limit >= Objects.requireNonNull(this.route.buffered()).size()) ? 0 : limit;
	}

	/**
	 * The dead of a batch are compensated for by one call.
	 */
	private void bury(List<BatchItem> dead, boolean charged, long nanos, Outcome outcome) {
		if (charged) {
			dead.forEach((item) -> item.wayBack = Settlement.Requeued.charged(item.job,
					ErrorText.of(Objects.requireNonNull(item.error))));
		}
		String compensation = compensate(dead);
		if (compensation != null && stopped() != null) {
			logger.warn("@OnDead of {} was broken off: its jobs go back", this.route.name());
			for (BatchItem item : dead) {
				settle(item, item.back(), Outcome.NOTHING, outcome);
				executed(item, AttemptOutcome.RELEASED, nanos);
			}
			return;
		}
		for (BatchItem item : dead) {
			Throwable error = Objects.requireNonNull(item.error);
			settleDead(item, error, compensation, charged, outcome);
			executed(item, AttemptOutcome.DEAD, nanos);
		}
		logger.error("Dead: {} jobs from {} on ({} on queue {}). {}", dead.size(), dead.get(0).id(), this.route.name(),
				dead.get(0).queue(), ErrorText.of(Objects.requireNonNull(dead.get(0).error)));
	}

	private @Nullable String compensate(List<BatchItem> dead) {
		if (!this.route.hasOnDead()) {
			return null;
		}
		List<@Nullable Object> values = new ArrayList<>(dead.size());
		dead.stream().filter((item) -> item.isRead).forEach((item) -> values.add(item.value));
		if (values.isEmpty() && this.route.onDeadTakesArguments()) {
			return Attempt.NOT_COMPENSATED;
		}
		try {
			Throwable error = Objects.requireNonNull(dead.get(0).error);
			this.route.invokeOnDead(new @Nullable Object[] { values }, error, dead.get(0));
			return null;
		}
		catch (Throwable ex) {
			String text = ErrorText.of(ex);
			logger.error("@OnDead of {} failed: {}", this.route.name(), text);
			return "@OnDead failed: " + text;
		}
	}

	private void settleDead(BatchItem item, Throwable error, @Nullable String compensation, boolean charged,
			Outcome outcome) {
		String recorded = (charged || !item.job.failedBefore()) ? ErrorText.of(error) : null;
		if (compensation != null) {
			recorded = ((recorded != null) ? recorded : ErrorText.of(error)) + compensation;
		}
		HandlerCalls calls = this.attempts.calls();
		Settlement.Link next = ChainLinks.afterDeath(item.job, this.attempts.routes(), this.attempts.codec());
		settle(item, new Settlement.Died(item.id(), item.lease(), recorded, charged, next),
				calls.hasListeners() ? () -> calls.tell((listener) -> listener.dead(item, error)) : Outcome.NOTHING,
				outcome);
	}

	/**
	 * The items, by what can be done with them.
	 *
	 * @param open those that can be handled
	 * @param failed those that could not be read here
	 * @param unreadable those that nobody can read
	 * @param spent those that have no attempt left
	 */
	private record Sorted(List<BatchItem> open, List<BatchItem> failed, List<BatchItem> unreadable,
			List<BatchItem> spent) {

	}

}
