/**
 * What is inside {@link io.gator.JobTemplate}.
 * <p>
 * A dispatch goes through these steps, and nothing is sent to the database before the
 * third one:
 * <ol>
 * <li>the job, the queue, the time and the key are checked, all arguments are written as
 * JSON, and read back where their types do not make that certain;</li>
 * <li>the caller's transaction is looked at: it is joined if it includes this
 * {@code DataSource}, refused if it does not or is read-only, and where there is none the
 * dispatch commits on its own;</li>
 * <li>a queue that was not registered within the last minute is registered, on a
 * connection of the engine's own, so that its name stays even if the caller rolls
 * back;</li>
 * <li>the rows are inserted, a single row by one statement, many rows in chunks;</li>
 * <li>after the commit, hooks and listeners hear of the jobs. What they hear is a hint:
 * no job is lost if the process ends before.</li>
 * </ol>
 * Invariants, each with a test that fails otherwise:
 * <ul>
 * <li>A job exists if and only if the transaction in which it was dispatched
 * commits.</li>
 * <li>A bulk exists as a whole or not at all.</li>
 * <li>If nobody can know whether a commit took place, that is what the exception
 * says.</li>
 * <li>No argument reaches a log line or the message of an exception.</li>
 * </ul>
 */
@NullMarked
package io.gator.dispatch;

import org.jspecify.annotations.NullMarked;
