/**
 * The pool: what turns rows into calls of handlers and calls into settled rows.
 *
 * <pre>
 * Poller (1 thread)  claims for the free slots and a little ahead, by weight   → Buffer
 * Slots  (N threads) take from the buffer, run the attempt                      → Settler
 * Settler (1 thread) writes outcomes in batches
 * </pre>
 *
 * Loop and step are apart: the threads only loop, {@code runOnce()} does the work and
 * says what it did.
 * <p>
 * Invariants:
 * <ul>
 * <li>A job is in flight from its claim to its settlement, in exactly one of buffer, slot
 * and settler. Counting a batch as one, what is claimed and not finished never exceeds
 * slots plus prefetch, plus as many batches as there are slots.</li>
 * <li>Errors of a job end in a settlement. Errors of the queue pause the thread that met
 * them, with growing and jittered waits, and never end it.</li>
 * <li>Whatever is written is fenced by the lease in the database; nothing here decides
 * from memory that a result counts.</li>
 * <li>The poller and the settler are never interrupted; handlers are, when they are
 * cancelled, time out, lose their lease, or the pool stops.</li>
 * </ul>
 */
@NullMarked
package io.gator.worker;

import org.jspecify.annotations.NullMarked;
