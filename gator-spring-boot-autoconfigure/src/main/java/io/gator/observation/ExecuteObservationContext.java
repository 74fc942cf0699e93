package io.gator.observation;

import java.util.Map;

import io.gator.JobContext;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that is observed. Its carrier are the headers from the row.
 */
public class ExecuteObservationContext extends ReceiverContext<Map<String, String>> {

	private final JobContext job;

	private @Nullable String ending;

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

	/**
	 * How the attempt has ended, where the handler asked for something else than a
	 * success and has not failed.
	 * @return {@code snoozed}, {@code cancelled} or {@code null}
	 */
	public @Nullable String getEnding() {
		return this.ending;
	}

	void setEnding(String ending) {
		this.ending = ending;
	}

}
