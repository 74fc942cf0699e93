package io.gator.observation;

import java.util.function.UnaryOperator;

import io.micrometer.common.KeyValues;

/**
 * {@code gator.job.dispatch}. Low cardinality: {@code gator.job.name},
 * {@code gator.job.queue}, both bounded. High cardinality: {@code gator.job.count}.
 */
public class DefaultDispatchObservationConvention implements DispatchObservationConvention {

	private final UnaryOperator<String> names;

	private final UnaryOperator<String> queues;

	/**
	 * Create a convention.
	 * @param names bounds the names of jobs
	 * @param queues bounds the names of queues
	 */
	public DefaultDispatchObservationConvention(UnaryOperator<String> names, UnaryOperator<String> queues) {
		this.names = names;
		this.queues = queues;
	}

	@Override
	public String getName() {
		return "gator.job.dispatch";
	}

	@Override
	public String getContextualName(DispatchObservationContext context) {
		return "dispatch " + context.getJobName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(DispatchObservationContext context) {
		return KeyValues.of("gator.job.name", this.names.apply(context.getJobName()), "gator.job.queue",
				this.queues.apply(context.getQueue()));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(DispatchObservationContext context) {
		return KeyValues.of("gator.job.count", Integer.toString(context.getCount()));
	}

}
