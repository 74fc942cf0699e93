package io.gator.worker;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

import io.gator.JobCancelledException;
import io.gator.JobSnoozedException;
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

	/** Said where {@code @OnDead} would need what is not there. */
	static final String NOT_COMPENSATED = "@OnDead was not called: it takes arguments that cannot be read\n";

	private final Attempts attempts;

	private final ClaimedJob job;

	private final Route route;

	private final ClaimedContext context;

	Attempt(Attempts attempts, ClaimedJob job, Route route, long worker, long claimedAtNanos) {
		super(worker, claimedAtNanos);
		this.attempts = attempts;
		this.job = job;
		this.route = route;
		this.context = new ClaimedContext(this, job);
	}

	@Override
	Collection<Long> ids() {
		return List.of(this.job.id());
	}

	@Override
	int size() {
		return 1;
	}

	@Override
	String describe() {
		return this.context.toString();
	}

	@Override
	void release(Outcome outcome) {
		outcome.settle(this, this.context.back(), Outcome.NOTHING);
	}

	@Override
	void run(Outcome outcome) {
		Stop stop = stopped();
		if (isOver(stop)) {
			release(outcome);
			return;
		}
		long start = startedAtNanos();
		ThreadState.enter(this.context);
		AttemptOutcome ended;
		try {
			ended = refuse(outcome, stop == Stop.CANCELLED);
			if (ended == null) {
				this.attempts.metrics()
					.waited(this.job.name(), this.job.queue(),
							(long) (this.job.waited() * 1e9) + Math.max(0, start - claimedAtNanos()));
				ended = attempt(outcome);
			}
		}
		finally {
			ThreadState.leave(this.job.name());
		}
		this.attempts.metrics().executed(this.job.name(), this.job.queue(), ended, System.nanoTime() - start);
	}

	/**
	 * A job that was cancelled before it was claimed is over; one that has no attempt
	 * left, because the last one ended with its process, is dead.
	 */
	private @Nullable AttemptOutcome refuse(Outcome outcome, boolean cancelled) {
		if (this.job.cancelRequested() || cancelled) {
			logger.debug("Cancelled {}", describe());
			outcome.settle(this, new Settlement.Cancelled(this.job.id(), this.job.lease(), null), Outcome.NOTHING);
			return AttemptOutcome.CANCELLED;
		}
		if (!this.route.retry().allowsAttempt(this.job.attempts())) {
			if (isOver(handled(this.job.name()))) {
				release(outcome);
				return AttemptOutcome.RELEASED;
			}
			Throwable reason = noAttemptIsLeft();
			return die(outcome, reason, this.job.failedBefore() ? null : ErrorText.of(reason), false);
		}
		return null;
	}

	/** Why a job is dead whose last attempt nobody has heard of again. */
	static Throwable noAttemptIsLeft() {
		return new IllegalStateException("No attempt is left: the last one ended with the process that ran it");
	}

	private AttemptOutcome attempt(Outcome outcome) {
		@Nullable Object[] args;
		try {
			args = this.attempts.codec().decode(this.route, this.job.args());
		}
		catch (UnreadableArgumentsException ex) {
			if (isOver(handled(this.job.name()))) {
				release(outcome);
				return AttemptOutcome.RELEASED;
			}
			return die(outcome, ex, ErrorText.of(ex), true);
		}
		catch (Throwable ex) {
			// A class that cannot be loaded here may be sound in another process.
			return failed(outcome, ex);
		}
		try {
			HandlerCalls calls = this.attempts.calls();
			if (calls.hasListeners()) {
				calls.tell((listener) -> listener.started(this.context));
			}
			this.attempts.scheduleTimeout(this, this.route.timeout());
			if (this.route.transactional()) {
				return callInTransaction(outcome, args);
			}
			Object result = call(args);
			if (stopped() == Stop.TIMED_OUT) {
				throw timedOut(null);
			}
			ThreadState.requireNoTransaction();
			outcome.settle(this, success(result), landed());
			return succeeded();
		}
		catch (CommitUnknownException ex) {
			// If it was carried out there is no row any more. If not, the attempt has
			// failed, and the next claim decides whether there is another one.
			logger.warn("Nobody knows yet whether {} has succeeded: {}", describe(), ErrorText.of(ex));
			outcome.settleUnlessDone(this, Settlement.Requeued.charged(this.job, ErrorText.of(ex)), landed());
			return AttemptOutcome.FAILED;
		}
		catch (LeaseLostException ex) {
			logger.warn("{}", ex.getMessage());
			outcome.lost(this);
			return AttemptOutcome.RELEASED;
		}
		catch (Throwable ex) {
			return failed(outcome, ex);
		}
	}

	private @Nullable Object call(@Nullable Object[] args) throws Exception {
		return this.attempts.calls()
			.call(this.context, this.job.metadata(), () -> this.route.invoke(args, this.context));
	}

	private AttemptOutcome callInTransaction(Outcome outcome, @Nullable Object[] args) throws Exception {
		TransactionalCalls transactions = Objects.requireNonNull(this.attempts.transactions(),
				"a transaction manager, which start-up has checked");
		Settlement.Succeeded success = transactions.call(describe(), this.attempts.store(), () -> {
			Object result = call(args);
			if (stopped() == Stop.TIMED_OUT) {
				throw timedOut(null);
			}
			return success(result);
		});
		outcome.settled(this, success);
		landed().run();
		return succeeded();
	}

	private Settlement.Succeeded success(@Nullable Object result) {
		String json = (result != null) ? this.attempts.codec().encodeResult(result, this.attempts.maxResult()) : null;
		Settlement.Link next = (this.job.metadata() != null)
				? ChainLinks.afterSuccess(this.job, result, this.attempts.routes(), this.attempts.codec()) : null;
		return new Settlement.Succeeded(this.job.id(), this.job.lease(), json, next);
	}

	private AttemptOutcome succeeded() {
		if (logger.isDebugEnabled()) {
			logger.debug("Succeeded: {}", describe());
		}
		return AttemptOutcome.SUCCEEDED;
	}

	private Runnable landed() {
		HandlerCalls calls = this.attempts.calls();
		return calls.hasListeners() ? () -> calls.tell((listener) -> listener.succeeded(this.context))
				: Outcome.NOTHING;
	}

	private JobTimeoutException timedOut(@Nullable Throwable cause) {
		return new JobTimeoutException(Objects.requireNonNullElse(this.route.timeout(), Duration.ZERO), cause);
	}

	private AttemptOutcome failed(Outcome outcome, Throwable thrown) {
		Stop stop = handled(this.job.name());
		Throwable error = thrown;
		if (stop == Stop.SHUTDOWN) {
			release(outcome);
			return AttemptOutcome.RELEASED;
		}
		if (stop == Stop.FENCED) {
			logger.warn("Interrupted {}: its pool has lost the database for too long", describe());
			outcome.settle(this, Settlement.Requeued.charged(this.job, ErrorText.of(thrown)), Outcome.NOTHING);
			return AttemptOutcome.RELEASED;
		}
		if (stop == Stop.CANCELLED || thrown instanceof JobCancelledException) {
			logger.info("Cancelled {}", describe());
			String reason = (thrown instanceof JobCancelledException) ? ErrorText.messageOf(thrown) : null;
			outcome.settle(this, new Settlement.Cancelled(this.job.id(), this.job.lease(), reason), Outcome.NOTHING);
			return AttemptOutcome.CANCELLED;
		}
		if (thrown instanceof JobSnoozedException snoozed) {
			logger.debug("Snoozed {} for {}", describe(), snoozed.delay());
			outcome.settle(this, Settlement.Requeued.snoozed(this.job, RetryRule.bounded(snoozed.delay())),
					Outcome.NOTHING);
			return AttemptOutcome.SNOOZED;
		}
		if (stop == Stop.TIMED_OUT && !(thrown instanceof JobTimeoutException)) {
			error = timedOut(thrown);
		}
		return retryOrDie(outcome, error);
	}

	private AttemptOutcome retryOrDie(Outcome outcome, Throwable error) {
		RetryOutcome decision = this.route.retry().decide(error, this.context.retryCount());
		Duration delay = decision.delay();
		if (delay == null) {
			return die(outcome, error, errorText(error, decision), true);
		}
		String text = errorText(error, decision);
		logger.warn("Failed: {}; its retry {} is due{} at {}. {}", describe(), this.context.retryCount() + 1,
				(decision.queue() != null) ? " on queue " + decision.queue() : "",
				Instant.now().plus(delay).truncatedTo(ChronoUnit.SECONDS), text);
		HandlerCalls calls = this.attempts.calls();
		outcome.settle(this,
				new Settlement.Requeued(this.job.id(), this.job.lease(), delay, decision.queue(), text, true, 0),
				calls.hasListeners() ? () -> calls.tell((listener) -> listener.failed(this.context, error))
						: Outcome.NOTHING);
		return AttemptOutcome.FAILED;
	}

	private static String errorText(Throwable error, RetryOutcome decision) {
		String text = ErrorText.of(error);
		Throwable policyError = decision.policyError();
		if (policyError != null) {
			text = text + "The retry policy failed: " + ErrorText.of(policyError);
		}
		return text;
	}

	private AttemptOutcome die(Outcome outcome, Throwable error, @Nullable String text, boolean charged) {
		if (charged) {
			this.context.wayBack = Settlement.Requeued.charged(this.job, text);
		}
		String recorded = text;
		String compensation = compensate(error);
		if (compensation != null && stopped() != null) {
			logger.warn("@OnDead of {} was broken off: the job goes back", describe());
			release(outcome);
			return AttemptOutcome.RELEASED;
		}
		if (compensation != null) {
			recorded = ((text != null) ? text : ErrorText.of(error)) + compensation;
		}
		logger.error("Dead: {}. {}", describe(), (recorded != null) ? recorded : ErrorText.of(error));
		HandlerCalls calls = this.attempts.calls();
		Settlement.Link next = (this.job.metadata() != null)
				? ChainLinks.afterDeath(this.job, this.attempts.routes(), this.attempts.codec()) : null;
		outcome.settle(this, new Settlement.Died(this.job.id(), this.job.lease(), recorded, charged, next),
				calls.hasListeners() ? () -> calls.tell((listener) -> listener.dead(this.context, error))
						: Outcome.NOTHING);
		return AttemptOutcome.DEAD;
	}

	/**
	 * Call the job's {@code @OnDead} method.
	 * @return why that failed, or {@code null}
	 */
	private @Nullable String compensate(Throwable error) {
		if (!this.route.hasOnDead()) {
			return null;
		}
		@Nullable Object[] args = {};
		if (this.route.onDeadTakesArguments()) {
			try {
				args = this.attempts.codec().decode(this.route, this.job.args());
			}
			catch (Throwable ex) {
				return NOT_COMPENSATED;
			}
		}
		try {
			this.route.invokeOnDead(args, error, this.context);
			return null;
		}
		catch (Throwable ex) {
			return "@OnDead failed: " + ErrorText.of(ex);
		}
	}

}
