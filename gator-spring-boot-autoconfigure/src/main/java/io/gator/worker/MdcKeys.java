package io.gator.worker;

import java.util.List;

/**
 * The keys of the logging context under which a handler finds its job.
 */
public final class MdcKeys {

	static final String ID = "jobId";

	static final String NAME = "jobName";

	static final String QUEUE = "jobQueue";

	static final String ATTEMPT = "jobAttempt";

	/** All of them. */
	public static final List<String> ALL = List.of(ID, NAME, QUEUE, ATTEMPT);

	private MdcKeys() {
	}

}
