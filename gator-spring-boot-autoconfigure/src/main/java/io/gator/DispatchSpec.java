package io.gator;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Specifies a dispatch, and dispatches. Each method that specifies something returns a
 * new specification and leaves this one unchanged, so a specification may be kept and
 * used by several threads.
 *
 * @see JobOperations#to(Class)
 */
public interface DispatchSpec {

	/**
	 * Put the job on another queue than that of its {@link Job} annotation.
	 * @param queue the queue, of the form {@code [A-Za-z0-9][A-Za-z0-9._:-]{0,127}}
	 * @return a new specification
	 * @throws JobDispatchException if that is not a valid name
	 */
	DispatchSpec queue(String queue);

	/**
	 * Run the job no earlier than some time from now, by the database's clock. This and
	 * {@link #at(Instant) at} replace each other: the later call counts.
	 * @param wait the time to wait, not negative and at most ten years; zero means now
	 * @return a new specification
	 * @throws JobDispatchException if the time is out of range
	 */
	DispatchSpec delay(Duration wait);

	/**
	 * Run the job no earlier than at some time, by the database's clock. A time in the
	 * past makes the job due at once: it is claimed before the jobs of its queue that
	 * were dispatched without a time. This and {@link #delay(Duration) delay} replace
	 * each other: the later call counts.
	 * @param time the time, at most ten years ahead
	 * @return a new specification
	 * @throws JobDispatchException if the time is out of range
	 */
	DispatchSpec at(Instant time);

	/**
	 * Make the job unique: at most one live job, of whatever name, has this key. While
	 * there is such a job, a dispatch adds nothing and returns the id of that job, which
	 * may start before the caller's transaction commits and so may not see what the
	 * transaction writes.
	 * @param key the key, not empty and at most 512 characters
	 * @return a new specification
	 * @throws JobDispatchException if the key is {@code null}, empty or too long, or has
	 * U+0000 or half a surrogate pair, which the database cannot keep
	 */
	DispatchSpec uniqueKey(String key);

	/**
	 * Dispatch one job.
	 * @param args the arguments of its handler, without the {@link JobContext}
	 * @return the id of the job
	 * @throws JobDispatchException if the job is refused; nothing was sent to the
	 * database
	 * @throws DispatchOutcomeUnknownException if the connection failed while the database
	 * was committing
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached or refuses the job
	 */
	long dispatch(@Nullable Object... args);

	/**
	 * Dispatch many jobs, all or none.
	 * @param each one element for each job, as in
	 * {@link JobOperations#dispatchMany(Class, Collection)}
	 * @return the ids, in the order of the elements
	 * @throws JobDispatchException if an element is refused, and with it all of them, or
	 * if there are several for one {@linkplain #uniqueKey(String) unique key}
	 * @throws DispatchOutcomeUnknownException if the connection failed while the database
	 * was committing
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached or refuses the jobs
	 */
	List<Long> dispatchMany(Collection<?> each);

}
