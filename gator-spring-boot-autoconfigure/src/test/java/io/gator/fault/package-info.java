/**
 * Faults: real worker processes that are killed, frozen, cut off and ended while they
 * work, a real PostgreSQL that goes away and comes back, and a checker that compares what
 * happened with what was promised.
 * <p>
 * The truth is kept outside the queue: each process writes a
 * {@link io.gator.fault.Journal} of the runs that it starts and ends, the
 * {@link io.gator.fault.Producer} one of what it dispatched, processes that are to end
 * while they dispatch one of what they are about to do and what they have learned of it
 * ({@link io.gator.fault.Operations}), triggers note each transition of a row, and
 * effects are counted in a table without a key. This is the
 * {@link io.gator.fault.Evidence} that the {@link io.gator.fault.Checker} judges, and not
 * the engine's word.
 */
package io.gator.fault;
