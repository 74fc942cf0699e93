package io.gator.observation;

import java.util.Objects;
import java.util.function.UnaryOperator;

import io.gator.worker.AttemptOutcome;
import io.micrometer.common.KeyValues;

/**
 * {@code gator.job.execute}. Low cardinality: {@code gator.job.name},
 * {@code gator.job.queue}, both bounded, and {@code gator.job.outcome}, which is
 * {@code succeeded}, {@code failed}, {@code snoozed} or {@code cancelled}. High
 * cardinality: {@code gator.job.id}, {@code gator.job.attempt}.
 */
public class DefaultExecuteObservationConvention implements ExecuteObservationConvention {

	private final UnaryOperator<String> names;

	private final UnaryOperator<String> queues;

	/**
	 * Create a convention.
	 * @param names bounds the names of jobs
	 * @param queues bounds the names of queues
	 */
	public DefaultExecuteObservationConvention(UnaryOperator<String> names, UnaryOperator<String> queues) {
		this.names = names;
		this.queues = queues;
	}

	@Override
	public String getName() {
		return "gator.job.execute";
	}

	@Override
	public String getContextualName(ExecuteObservationContext context) {
		return "execute " + context.getJob().name();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(ExecuteObservationContext context) {
		return KeyValues.of("gator.job.name", this.names.apply(context.getJob().name()), "gator.job.queue",
				this.queues.apply(context.getJob().queue()), "gator.job.outcome", outcome(context));
	}

	private static String outcome(ExecuteObservationContext context) {
		if (context.getError() != null) {
			return AttemptOutcome.FAILED.label();
		}
		return Objects.requireNonNullElse(context.getEnding(), AttemptOutcome.SUCCEEDED.label());
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(ExecuteObservationContext context) {
		return KeyValues.of("gator.job.id", Long.toString(context.getJob().id()), "gator.job.attempt",
				Integer.toString(context.getJob().attempt()));
	}

}
