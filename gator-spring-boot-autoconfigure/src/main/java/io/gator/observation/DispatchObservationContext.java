package io.gator.observation;

import java.util.HashMap;
import java.util.Map;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;

/**
 * A dispatch that is observed. Its carrier are the headers that go into the rows.
 */
public class DispatchObservationContext extends SenderContext<Map<String, String>> {

	private final String jobName;

	private final String queue;

	private final int count;

	/**
	 * Create a context.
	 * @param jobName the name of the job
	 * @param queue the queue
	 * @param count how many jobs
	 */
	public DispatchObservationContext(String jobName, String queue, int count) {
		super((headers, key, value) -> {
			if (headers != null) {
				headers.put(key, value);
			}
		}, Kind.PRODUCER);
		this.jobName = jobName;
		this.queue = queue;
		this.count = count;
		setCarrier(new HashMap<>());
	}

	/**
	 * The name of the job, not of the observation.
	 * @return the name
	 */
	public String getJobName() {
		return this.jobName;
	}

	/**
	 * The queue.
	 * @return its name
	 */
	public String getQueue() {
		return this.queue;
	}

	/**
	 * How many jobs are dispatched.
	 * @return the number
	 */
	public int getCount() {
		return this.count;
	}

}
