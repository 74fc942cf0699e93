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
 * says what it did. What is called {@code now}, {@code start} or {@code end} is a
 * monotonic time in nanoseconds.
 * <p>
 * Where to begin, by what a class is about:
 * <ul>
 * <li>the pool as a whole: {@code WorkerPool} and, between its start and its stop,
 * {@code PoolRun}; {@code Load} says how much more it may take</li>
 * <li>when to claim, on the poller: {@code Agenda}, {@code ClaimPause}, {@code MaxWait},
 * {@code IdleLook}</li>
 * <li>what to claim, on the poller: {@code Claims}, which takes from {@code SingleClaims}
 * (with {@code Selection} for the weights, {@code Marks} for the places in the queues)
 * and {@code BatchClaims} (with {@code BatchLines}, a {@code BatchLine} for each buffered
 * job); {@code Reach} says how far back</li>
 * <li>running, on a slot: an {@code Execution} is an {@code Attempt} or a {@code Batch};
 * {@code HandlerCalls} calls the handler through the hooks, {@code ThreadState} cleans up
 * behind it, {@code Verdict} says what follows an error</li>
 * <li>settling, on the settler: {@code Settler} batches, {@code OutcomeWriter} writes,
 * {@code SetAside} keeps what cannot be written yet</li>
 * <li>being alive, called from the heartbeat and from a timer: {@code Membership} with
 * its {@code Identities}, {@code Fence}, {@code LostJobSearches} and
 * {@code PoolLocks}</li>
 * <li>hearing and telling: {@code NotificationListener}, {@code Notifier},
 * {@code WorkerMetrics}</li>
 * </ul>
 * Invariants:
 * <ul>
 * <li>A job is in flight from its claim to its settlement, in exactly one of buffer, slot
 * and settler. Counting a batch as one, a claim never makes what is not finished exceed
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
