package io.gator;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Dispatches jobs. Implemented by {@link JobTemplate}; depend on this interface if your
 * tests substitute it. Implementations are thread-safe.
 * <p>
 * A dispatch takes part in the caller's Spring transaction: the job exists if and only if
 * the transaction commits, and is invisible until then. Without a transaction it is
 * durable when the method returns. All arguments are checked against the handler's
 * signature and written as JSON before any SQL is sent, which is why most mistakes
 * surface as a {@link JobDispatchException} here and not later in a worker.
 */
public interface JobOperations {

	/**
	 * Dispatch one job, to run as soon as a slot is free.
	 * @param job the class annotated with {@link Job}
	 * @param args the arguments of its handler, without the {@link JobContext}
	 * @return the id that the database gave to the job
	 * @throws JobDispatchException if the job is refused; nothing was sent to the
	 * database
	 * @throws DispatchOutcomeUnknownException if the connection failed while the database
	 * was committing
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached or refuses the job
	 */
	default long dispatch(Class<?> job, @Nullable Object... args) {
		return to(job).dispatch(args);
	}

	/**
	 * Dispatch many jobs at once, all or none.
	 * @param job the class annotated with {@link Job}
	 * @param each one element for each job: its single argument, or
	 * {@link JobArgs#args(Object...)} for handlers that take none or more than one
	 * @return the ids, in the order of the elements; empty for an empty collection
	 * @throws JobDispatchException if an element is refused, and with it all of them
	 * @throws DispatchOutcomeUnknownException if the connection failed while the database
	 * was committing
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached or refuses the jobs
	 */
	default List<Long> dispatchMany(Class<?> job, Collection<?> each) {
		return to(job).dispatchMany(each);
	}

	/**
	 * Begin a dispatch with a queue, a time or a unique key of its own.
	 * @param job the class annotated with {@link Job}
	 * @return a specification to complete with {@code dispatch} or {@code dispatchMany}
	 * @throws JobDispatchException if the class is not a job of this application
	 */
	DispatchSpec to(Class<?> job);

	/**
	 * Begin a dispatch by name, for a producer that does not have the handler. If this
	 * application has the handler after all, arguments are checked against it. If not,
	 * its annotations are unknown: the job goes to the queue {@value Job#DEFAULT_QUEUE}
	 * unless {@linkplain DispatchSpec#queue another} is given, and a {@link Unique} job
	 * is unique only with {@linkplain DispatchSpec#uniqueKey a key}.
	 * @param jobName the name of the job
	 * @return a specification to complete with {@code dispatch} or {@code dispatchMany}
	 * @throws JobDispatchException if the name is not a valid one
	 */
	DispatchSpec to(String jobName);

	/**
	 * Begin a chain: each job is dispatched when its predecessor has succeeded.
	 * @param first the class of the first job
	 * @return a chain to complete
	 * @throws JobDispatchException if the class is not a job of this application
	 */
	JobChain chain(Class<?> first);

}
