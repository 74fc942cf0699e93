package io.gator;

/**
 * Hears what happens to jobs. All beans of this type are called, in their order
 * ({@code @Order}). What a listener throws is logged and changes nothing; a transaction
 * that it leaves open on a thread of Gator's is rolled back.
 * <p>
 * {@code dispatched} is called by the thread that dispatched the job, and {@code started}
 * by the thread that runs it. An outcome is told by the thread that settles, once it is
 * in the database, but the success of a transactional job by the thread that ran it.
 * Implementations are called by several threads and must not block for long: both
 * dispatching and settling wait for them.
 * <p>
 * An outcome is told at most once, by the process that ran the attempt. If that process
 * ends after the outcome is written and before the listener is called, no listener hears
 * of it. For a batch, listeners are called once for each item. No outcome is told of
 * attempts that are cancelled, snoozed, given back at shutdown, interrupted because their
 * pool lost the database, or lost with their process, nor of results that came too late.
 * {@code failed} or {@code dead} may be called without {@code started}, if the handler
 * could not be called. If the answer to the commit of a success was lost in an outage
 * longer than the lease, {@code succeeded} may be called although another pool runs the
 * job again.
 */
public interface JobListener {

	/**
	 * A job was dispatched, and its transaction has committed. Not called for the next
	 * links of chains, their {@code onError} jobs and the ticks of recurring jobs, which
	 * the engine dispatches.
	 * @param id the id of the job
	 * @param name the name of the job
	 * @param queue the queue that it went to
	 */
	default void dispatched(long id, String name, String queue) {
	}

	/**
	 * An attempt begins.
	 * @param job the attempt
	 */
	default void started(JobContext job) {
	}

	/**
	 * The job is done.
	 * @param job the attempt
	 */
	default void succeeded(JobContext job) {
	}

	/**
	 * An attempt failed, and the job waits for its retry.
	 * @param job the attempt
	 * @param error what the handler threw, or why it was not called
	 */
	default void failed(JobContext job, Throwable error) {
	}

	/**
	 * The last attempt failed: the job is dead.
	 * @param job the attempt
	 * @param error what the handler threw, or why it was not called
	 */
	default void dead(JobContext job, Throwable error) {
	}

}
