package io.gator.worker;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

import io.gator.JobListener;
import io.gator.routing.Route;
import io.gator.routing.UnreadableArgumentsException;
import io.gator.store.ClaimedJob;
import io.gator.store.ErrorText;
import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of one job. Its life is short:
 * <ol>
 * <li>it is refused, if the job was cancelled or has no attempt left;</li>
 * <li>its arguments are read;</li>
 * <li>the handler is called, through the hooks;</li>
 * <li>what came of it becomes a settlement.</li>
 * </ol>
 */
final class Attempt extends Execution {

	private static final Logger logger = LoggerFactory.getLogger("io.gator.jobs");

	/** A result larger than this, in bytes, is not kept. */
	private static final int MAX_RESULT = 64 * 1024;

	private final AttemptServices services;

	private final ClaimedJob job;

	private final Route route;

	private final ClaimedContext context;

	Attempt(AttemptServices services, ClaimedJob job, Route route, long worker, long claimedAtNanos) {
		super(worker, claimedAtNanos, 1);
		this.services = services;
		this.job = job;
		this.route = route;
		this.context = new ClaimedContext(this, job);
	}

	@Override
	Collection<Long> ids() {
		return List.of(this.job.id());
	}

	@Override
	String describe() {
		return this.context.toString();
	}

	@Override
	void release(Settlements settlements) {
		this.context.release(settlements);
	}

	@Override
	void run(Settlements settlements) {
		Stop stop = stopReason();
		if (mustGoBack(stop)) {
			release(settlements);
			return;
		}
		long start = System.nanoTime();
		ThreadState.enter(this.context);
		AttemptOutcome ended;
		try {
			ended = refuse(settlements, stop == Stop.CANCELLED);
			if (ended == null) {
				this.services.metrics().waited(this.job.name(), this.job.queue(), waitedNanos(this.job, start));
				ended = attempt(settlements);
			}
		}
		finally {
			ThreadState.leave(this.job.name());
		}
		this.services.metrics().executed(this.job.name(), this.job.queue(), ended, System.nanoTime() - start);
	}

	/**
	 * A job that was cancelled before it was claimed is over; one that has no attempt
	 * left, because the last one ended with its process, is dead.
	 */
	private @Nullable AttemptOutcome refuse(Settlements settlements, boolean cancelled) {
		if (this.job.cancelRequested() || cancelled) {
			logger.debug("Cancelled {}", describe());
			this.context.settle(settlements, new Settlement.Cancelled(this.job.id(), this.job.lease(), null),
					Settlements.NOTHING);
			return AttemptOutcome.CANCELLED;
		}
		if (!this.route.retry().allowsAttempt(this.job.attempts())) {
			this.context.markSpent();
			ThreadState.enter(this.context);
			Throwable reason = Verdict.noAttemptError(this.job);
			return dieUncalled(settlements, reason);
		}
		return null;
	}

	private AttemptOutcome attempt(Settlements settlements) {
		@Nullable Object[] args;
		try {
			args = this.services.codec().decode(this.route, this.job.args());
		}
		catch (UnreadableArgumentsException ex) {
			return dieUncalled(settlements, ex);
		}
		catch (Throwable ex) {
			// A class that cannot be loaded here may be sound in another process.
			return failed(settlements, ex);
		}
		try {
			return handle(settlements, args);
		}
		catch (CommitUnknownException ex) {
			// If the commit was carried out there is no row any more. If not, the attempt
			// has failed, and the next claim decides whether the job has another one.
			logger.warn("Nobody knows yet whether {} has succeeded: {}", describe(), ErrorText.of(ex));
			settlements.settleUnlessDone(this, Settlement.Requeued.charged(this.job, ErrorText.of(ex)),
					tellingSuccess());
			this.context.decided();
			return AttemptOutcome.FAILED;
		}
		catch (LeaseLostException ex) {
			logger.warn("{}", ex.getMessage());
			this.context.decided();
			settlements.lost(this);
			return AttemptOutcome.RELEASED;
		}
		catch (Throwable ex) {
			return failed(settlements, ex);
		}
	}

	private AttemptOutcome handle(Settlements settlements, @Nullable Object[] args) throws Exception {
		this.services.calls().tell((listener) -> listener.started(this.context));
		dropInterruptOfOthers();
		scheduleTimeout(this.services.timer(), this.route.timeout());
		if (this.route.transactional()) {
			handleInTransaction(settlements, args);
		}
		else {
			Object result = call(args);
			ThreadState.requireNoTransaction();
			this.context.settle(settlements, success(result), tellingSuccess());
		}
		if (logger.isDebugEnabled()) {
			logger.debug("Succeeded: {}", describe());
		}
		return AttemptOutcome.SUCCEEDED;
	}

	private void handleInTransaction(Settlements settlements, @Nullable Object[] args) throws Exception {
		TransactionalCalls transactions = Objects.requireNonNull(this.services.transactions(),
				"a transaction manager, which start-up has checked");
		Settlement.Succeeded success = transactions.call(describe(), this.services.store(), () -> success(call(args)));
		// Listeners are called next, on this thread.
		endHandling(this.job.name());
		this.context.decided();
		settlements.settled(this, success);
		tellingSuccess().run();
	}

	private @Nullable Object call(@Nullable Object[] args) throws Exception {
		Object result = this.services.calls()
			.call(this.context, this.job.metadata(), () -> this.route.invoke(args, this.context));
		failIfTimedOut(this.route);
		return result;
	}

	private Settlement.Succeeded success(@Nullable Object result) {
		String json = this.services.codec().encodeResult(this.route, result, MAX_RESULT);
		return new Settlement.Succeeded(this.job.id(), this.job.lease(), json,
				this.services.links().afterSuccess(this.job, this.route, result));
	}

	private Runnable tellingSuccess() {
		return later((listener) -> listener.succeeded(this.context));
	}

	private Runnable later(Consumer<JobListener> event) {
		return this.services.calls().later(event);
	}

	private AttemptOutcome failed(Settlements settlements, Throwable thrown) {
		Stop stop = endHandling(this.job.name());
		Throwable error = Verdict.errorOf(this.route, thrown, stop);
		Verdict verdict = Verdict.of(this.context, this.route, error, stop, 0);
		Settlement settlement = verdict.settlement();
		if (settlement == null) {
			return die(settlements, error, Objects.requireNonNull(verdict.text()));
		}
		switch (verdict.outcome()) {
			case CANCELLED -> logger.info("Cancelled {}", describe());
			case SNOOZED -> logger.debug("Snoozed {} for {}", describe(), ((Settlement.Requeued) settlement).delay());
			case FAILED -> warn((Settlement.Requeued) settlement);
			default -> {
				if (stop == Stop.FENCED) {
					logger.warn("Interrupted {}: its pool was silent for too long, and may not hold it any more",
							describe());
				}
			}
		}
		this.context.settle(settlements, settlement, (verdict.outcome() == AttemptOutcome.FAILED)
				? later((listener) -> listener.failed(this.context, error)) : Settlements.NOTHING);
		return verdict.outcome();
	}

	private void warn(Settlement.Requeued retry) {
		Duration delay = Objects.requireNonNull(retry.delay());
		logger.warn("Failed: {}; its retry {} is due{} at {}. {}", describe(), this.context.retryCount() + 1,
				(retry.queue() != null) ? " on queue " + retry.queue() : "",
				Instant.now().plus(delay).truncatedTo(ChronoUnit.SECONDS), retry.error());
	}

	/** No handler was called, so nobody has asked yet whether the pool goes on. */
	private AttemptOutcome dieUncalled(Settlements settlements, Throwable error) {
		if (mustGoBack(endHandling(this.job.name()))) {
			release(settlements);
			return AttemptOutcome.RELEASED;
		}
		return die(settlements, error, ErrorText.of(error));
	}

	private AttemptOutcome die(Settlements settlements, Throwable error, String reason) {
		this.context.chargeIfBrokenOff(reason);
		String onDeadError = OnDeadCall.call(this.route, this::readAgain, error, this.context);
		if (onDeadError != null && stopReason() != null) {
			logger.warn("@OnDead of {} was broken off: the job goes back", describe());
			release(settlements);
			return AttemptOutcome.RELEASED;
		}
		logger.error("Dead: {}. {}{}", describe(), reason, (onDeadError != null) ? onDeadError : "");
		this.context.settle(settlements,
				this.context.died(reason, onDeadError, this.services.links().afterDeath(this.job, this.route)),
				later((listener) -> listener.dead(this.context, error)));
		return AttemptOutcome.DEAD;
	}

	private @Nullable Object @Nullable [] readAgain() {
		try {
			return this.services.codec().decode(this.route, this.job.args());
		}
		catch (Throwable ex) {
			return null;
		}
	}

}
