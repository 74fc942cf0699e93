package io.gator;

/**
 * Thrown by a handler to end its job for good without a failure: the job is
 * {@link JobState#CANCELLED} and is not retried. Throw it directly: wrapped in another
 * exception it counts as a failure.
 */
public class JobCancelledException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	/**
	 * End the job.
	 * @param reason why; kept with the job
	 */
	public JobCancelledException(String reason) {
		super(reason);
	}

}
