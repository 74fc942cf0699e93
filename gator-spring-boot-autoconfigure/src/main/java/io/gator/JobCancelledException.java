package io.gator;

/**
 * Thrown by a handler to end its job for good without a failure: the job is
 * {@link JobState#CANCELLED} and is not retried.
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
