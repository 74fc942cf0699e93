package io.gator.store;

import java.util.List;
import java.util.Optional;

import io.gator.JobQuery;
import io.gator.QueueInfo;
import io.gator.RecurringInfo;
import io.gator.WorkerInfo;
import org.jspecify.annotations.Nullable;

/**
 * Looks at jobs, queues and pools, and acts on them. An action on one job is one
 * statement that says what it found. Thread-safe; throws {@link StoreException}.
 */
public interface AdminStore {

	Optional<StoredJob> find(long id);

	List<StoredJob> list(JobQuery query);

	/**
	 * Cancel a live job, or ask the pool that runs it to do so.
	 * @param id the id of the job
	 * @return what was found
	 */
	Cancellation cancel(long id);

	/**
	 * Make a dead job, or one that waits for its retry, due now.
	 * @param id the id of the job
	 * @return its queue; empty if there was no such job
	 */
	Optional<String> retry(long id);

	boolean discard(long id);

	/**
	 * Retry some of the dead jobs that a query finds, those with the smallest ids.
	 * @param query which ones; its limit says how many at most
	 * @return what was found, in no particular order
	 */
	List<Retried> retrySome(JobQuery query);

	/**
	 * Discard some of the dead jobs that a query finds, those with the smallest ids.
	 * @param query which ones; its limit says how many at most
	 * @return their ids, in no particular order
	 */
	List<Long> discardSome(JobQuery query);

	void pause(String queue);

	void resume(String queue);

	List<QueueInfo> queues();

	List<WorkerInfo> workers();

	List<RecurringInfo> recurring();

	/**
	 * Let all pools of the cluster ask at once what has changed.
	 */
	void notifyControl();

	/**
	 * What a cancellation found.
	 */
	enum Cancellation {

		/** No live job. */
		NOTHING,

		/** A job that was not running, and is over now. */
		DONE,

		/** A running job, whose pool was asked to stop it. */
		ASKED

	}

	/**
	 * A dead job that was to have a new life.
	 *
	 * @param id its id
	 * @param queue its queue; {@code null} if it could not be retried
	 */
	record Retried(long id, @Nullable String queue) {

	}

}
