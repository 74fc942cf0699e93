package io.gator.observation;

import java.util.Map;

import io.gator.JobContext;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;

/**
 * An attempt that is observed. Its carrier are the headers from the row.
 */
public class ExecuteObservationContext extends ReceiverContext<Map<String, String>> {

	private final JobContext job;

	/**
	 * Create a context.
	 * @param job the attempt
	 * @param headers what travelled with the job
	 */
	public ExecuteObservationContext(JobContext job, Map<String, String> headers) {
		super(Map::get, Kind.CONSUMER);
		this.job = job;
		setCarrier(headers);
	}

	/**
	 * The attempt.
	 * @return the attempt
	 */
	public JobContext getJob() {
		return this.job;
	}

}
