package io.gator.routing;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

import io.gator.RetryDecision;
import io.gator.RetryPolicy;
import io.gator.RetryWith;
import org.jspecify.annotations.Nullable;

/**
 * Decides what follows a failed attempt of one job. The job is dead if the limit of
 * retries is reached, or the exception is never retried, checked in this order. Only
 * after that the policy is asked, so the limit holds for a policy as well. Thread-safe.
 */
public final class RetryRule {

	/**
	 * The longest wait: ten thousand years. A policy may ask for any {@link Duration},
	 * but a retry at a time that the database cannot hold could not be written.
	 */
	static final Duration MAX_DELAY = Duration.ofDays(3_652_500);

	private final int maxRetries;

	private final RetryDecision interval;

	private final @Nullable Supplier<? extends RetryPolicy> policy;

	private final List<Class<? extends Throwable>> noRetryFor;

	RetryRule(int maxRetries, RetryDecision interval, @Nullable Supplier<? extends RetryPolicy> policy,
			List<Class<? extends Throwable>> noRetryFor) {
		this.maxRetries = maxRetries;
		this.interval = interval;
		this.policy = policy;
		this.noRetryFor = List.copyOf(noRetryFor);
	}

	/**
	 * Create the policy, because a policy that cannot be created is a mistake to be
	 * reported at start-up. Otherwise the first job that fails would find it, and be dead
	 * because of it.
	 */
	void prepare() {
		if (this.policy != null) {
			Objects.requireNonNull(this.policy.get(), "a retry policy");
		}
	}

	/**
	 * The most retries of one job.
	 * @return the number, or {@link RetryWith#UNLIMITED}
	 */
	public int maxRetries() {
		return this.maxRetries;
	}

	/**
	 * Whether there is no limit.
	 * @return {@code true} if {@link #maxRetries()} is {@link RetryWith#UNLIMITED}
	 */
	public boolean unlimited() {
		return this.maxRetries == RetryWith.UNLIMITED;
	}

	/**
	 * The queue of retries, unless a policy chooses another one.
	 * @return the queue, or {@code null} if they stay on that of the failed attempt
	 */
	public @Nullable String queue() {
		return this.interval.queue();
	}

	/**
	 * Whether the limit leaves another attempt, whatever the error.
	 * @param retryCount the number of retries already made: 0 after the first failure
	 * @return {@code false} if the job is dead
	 */
	boolean allows(int retryCount) {
		return unlimited() || retryCount < this.maxRetries;
	}

	/**
	 * Whether the limit leaves room for an attempt.
	 * @param attempt its number, 1 for the first
	 * @return {@code false} if the job is dead before it
	 */
	public boolean allowsAttempt(int attempt) {
		return unlimited() || attempt - 1 <= this.maxRetries;
	}

	/**
	 * How many attempts an attempt is beyond the limit. There are such attempts if
	 * earlier ones, which were to end the job as dead, were broken off.
	 * @param attempt its number, 1 for the first
	 * @return the number; not positive if it is allowed
	 */
	public int beyondLimit(int attempt) {
		return unlimited() ? 0 : attempt - 1 - this.maxRetries;
	}

	/**
	 * Decide what follows.
	 * @param error what the handler threw
	 * @param retryCount the number of retries already made: 0 after the first failure
	 * @return the outcome; never throws
	 */
	public RetryOutcome decide(Throwable error, int retryCount) {
		if (!allows(retryCount) || isExcluded(error)) {
			return RetryOutcome.DEAD;
		}
		if (this.policy == null) {
			return outcome(this.interval, retryCount);
		}
		try {
			return outcome(ask(this.policy.get(), error, retryCount), retryCount);
		}
		catch (Throwable ex) {
			keep(error, ex);
			return new RetryOutcome(null, null, ex);
		}
	}

	private boolean isExcluded(Throwable error) {
		for (Class<? extends Throwable> type : this.noRetryFor) {
			if (type.isInstance(error)) {
				return true;
			}
		}
		return false;
	}

	private RetryDecision ask(RetryPolicy policy, Throwable error, int retryCount) {
		RetryDecision decision = policy.decide(error, retryCount);
		if (decision == null) {
			throw new IllegalStateException(
					"The retry policy " + policy.getClass().getName() + " returned no decision");
		}
		if (decision.queue() != null && !Names.isValid(decision.queue())) {
			throw new IllegalStateException("The retry policy " + policy.getClass().getName()
					+ " chose a queue whose name is not of the form " + Names.FORM);
		}
		return decision;
	}

	private RetryOutcome outcome(RetryDecision decision, int retryCount) {
		if (decision.isStop()) {
			return RetryOutcome.DEAD;
		}
		Duration delay = decision.interval(retryCount);
		String queue = (decision.queue() != null) ? decision.queue() : this.interval.queue();
		return new RetryOutcome(bounded(delay), queue, null);
	}

	/**
	 * Limit a delay that somebody has asked for to what the database can hold.
	 * @param delay any delay
	 * @return the delay, at most ten thousand years
	 */
	public static Duration bounded(Duration delay) {
		return (delay.compareTo(MAX_DELAY) < 0) ? delay : MAX_DELAY;
	}

	private static void keep(Throwable error, Throwable policyError) {
		if (error != policyError) {
			error.addSuppressed(policyError);
		}
	}

}
