package io.gator.worker;

import java.time.Duration;

import io.gator.JobCancelledException;
import io.gator.JobSnoozedException;
import io.gator.routing.RetryOutcome;
import io.gator.routing.RetryRule;
import io.gator.routing.Route;
import io.gator.store.ClaimedJob;
import io.gator.store.ErrorText;
import io.gator.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one job whose handler threw.
 *
 * @param outcome how its attempt ended
 * @param settlement what to write, or {@code null} if the job is dead, because
 * {@code @OnDead} is called before that is written
 * @param text what is kept of the error of a dead job, with the error of a policy that
 * could not decide; {@code null} for other jobs, whose error is in the settlement
 */
record Verdict(AttemptOutcome outcome, @Nullable Settlement settlement, @Nullable String text) {

	/**
	 * Decide.
	 * @param item the job, as its handler knew it
	 * @param route its handler and rules
	 * @param error what its handler threw
	 * @param stop why the handler was stopped, or {@code null} if it was not
	 * @param batchLimit the most items of the batch in which it is retried, 0 for no
	 * limit
	 * @return the verdict
	 */
	static Verdict of(ClaimedContext item, Route route, Throwable error, Execution.@Nullable Stop stop,
			int batchLimit) {
		if (stop == Execution.Stop.SHUTDOWN) {
			return new Verdict(AttemptOutcome.RELEASED, item.back(), null);
		}
		if (stop == Execution.Stop.FENCED) {
			return new Verdict(AttemptOutcome.RELEASED, Settlement.Requeued.charged(item.job, ErrorText.of(error)),
					null);
		}
		if (stop == Execution.Stop.CANCELLED || error instanceof JobCancelledException) {
			String reason = (error instanceof JobCancelledException) ? ErrorText.messageOf(error) : null;
			return new Verdict(AttemptOutcome.CANCELLED, new Settlement.Cancelled(item.id(), item.lease(), reason),
					null);
		}
		if (error instanceof JobSnoozedException snoozed) {
			return new Verdict(AttemptOutcome.SNOOZED,
					Settlement.Requeued.snoozed(item.job, RetryRule.bounded(snoozed.delay())), null);
		}
		return retryOrDie(item, route.retry().decide(error, item.retryCount()), error, batchLimit);
	}

	private static Verdict retryOrDie(ClaimedContext item, RetryOutcome decision, Throwable error, int batchLimit) {
		String text = ErrorText.of(error);
		Throwable policyError = decision.policyError();
		if (policyError != null) {
			text = text + "The retry policy failed: " + ErrorText.of(policyError);
		}
		Duration delay = decision.delay();
		if (delay == null) {
			return new Verdict(AttemptOutcome.DEAD, null, text);
		}
		return new Verdict(AttemptOutcome.FAILED,
				new Settlement.Requeued(item.id(), item.lease(), delay, decision.queue(), text, true, batchLimit),
				null);
	}

	/**
	 * The error that counts. A handler that was out of time has failed, whatever the
	 * interrupt made it throw: a snooze would give it the same time again and again,
	 * uncharged. Only its cancellation of the job stands.
	 * @param route the job
	 * @param thrown what the handler threw
	 * @param stop why it was stopped, or {@code null} if it was not
	 * @return the error
	 */
	static Throwable errorOf(Route route, Throwable thrown, Execution.@Nullable Stop stop) {
		Throwable error = HandlerCalls.unwrapped(thrown);
		boolean stands = error instanceof JobCancelledException || error instanceof JobTimeoutException;
		return (stop == Execution.Stop.TIMED_OUT && !stands) ? JobTimeoutException.of(route, error) : error;
	}

	/**
	 * Why a job is dead that has no attempt left. Nobody knows what became of the last
	 * one: its process has ended, or the call of {@code @OnDead} was broken off.
	 * @param job the job
	 * @return the error
	 */
	static Throwable noAttemptError(ClaimedJob job) {
		return new IllegalStateException("No attempt is left: the last one "
				+ (job.failedBefore() ? "failed, or ended" : "ended") + " with the process that ran it");
	}

}
