package io.gator;

import org.jspecify.annotations.Nullable;

/**
 * Jobs that follow each other. The next job is dispatched by the same statement that
 * settles the success of its predecessor, so that no link is lost or runs twice for one
 * success. Immutable.
 *
 * <pre>
 * jobs.chain(Reserve.class).then(Charge.class).then(Ship.class).onError(Refund.class).dispatch(orderId);
 * </pre>
 *
 * What a link receives:
 * <ul>
 * <li>what its predecessor returned, if that is of the type of its only parameter, or a
 * number that Java would widen to it, as an {@code int} to a {@code long};</li>
 * <li>nothing, if it takes nothing;</li>
 * <li>otherwise the arguments of its predecessor, also if the predecessor returned
 * {@code null}.</li>
 * </ul>
 * Beware: a handler that returns a count of rows passes it to a successor that takes an
 * id of that type. Let such a handler return nothing.
 * <p>
 * A returned value that the next job takes, but that cannot be written as JSON and read
 * back, or is larger than {@code gator.max-payload}, fails the attempt that returned it.
 * If the process that runs a job does not know the next one, the declared return type of
 * the handler decides what the next job receives, and the value is not read back.
 * <p>
 * Each link goes at once to the queue of its {@link Job}; a chain has no delay and no
 * {@link DispatchSpec#uniqueKey unique key}. Only the first job may be {@link Unique}; if
 * its key is taken, nothing is dispatched and the chain is not run.
 */
public interface JobChain {

	/**
	 * Add a link.
	 * @param next the job that follows
	 * @return a new chain
	 * @throws JobDispatchException if the class is not a job of this application, if it
	 * is unique, or if it takes neither what its predecessor returns nor the same
	 * arguments
	 */
	JobChain then(Class<?> next);

	/**
	 * Set the job that is dispatched when a link is dead. It receives the arguments of
	 * the dead link, so it must accept those of every link, or take none. The rest of the
	 * chain is not run, unless somebody {@linkplain JobAdmin#retry retries} the link and
	 * it succeeds after all. A link that is cancelled, by itself or by somebody, ends the
	 * chain as well, but nothing is dispatched for it.
	 * @param compensation the job that compensates
	 * @return a new chain
	 * @throws JobDispatchException if the class is not a job of this application, or if
	 * it is unique
	 */
	JobChain onError(Class<?> compensation);

	/**
	 * Dispatch the first job of the chain.
	 * @param args the arguments
	 * @return the id of the first job; if its key is taken, that of the live job that has
	 * it
	 * @throws JobDispatchException if the first job is refused, or if the {@code onError}
	 * job cannot take the arguments of a link; nothing was sent to the database
	 * @throws DispatchOutcomeUnknownException if the connection failed while the database
	 * was committing
	 * @throws org.springframework.dao.DataAccessException if the database cannot be
	 * reached or refuses the job
	 */
	long dispatch(@Nullable Object... args);

}
