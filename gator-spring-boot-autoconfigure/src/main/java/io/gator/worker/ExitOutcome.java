package io.gator.worker;

import java.time.Duration;

import io.gator.store.Settlement;

/**
 * Makes an attempt count that called {@code System.exit}. Such a handler waits, deaf to
 * interrupts, for the end of the JVM, which waits for the pool: given back uncharged its
 * job would end one process after the other.
 */
final class ExitOutcome implements Outcome {

	private static final String REASON = "The handler called System.exit, which ended its process";

	private final Outcome outcome;

	ExitOutcome(Outcome outcome) {
		this.outcome = outcome;
	}

	/**
	 * Whether a thread is ending the JVM.
	 * @param stack what the thread is doing
	 * @return whether it is
	 */
	static boolean isExit(StackTraceElement[] stack) {
		for (StackTraceElement frame : stack) {
			if (frame.getClassName().equals(Runtime.class.getName()) && frame.getMethodName().equals("exit")) {
				return true;
			}
		}
		return false;
	}

	@Override
	public void settle(Execution execution, Settlement settlement, Runnable landed) {
		this.outcome.settle(execution,
				new Settlement.Requeued(settlement.id(), settlement.lease(), Duration.ZERO, null, REASON, true, 0),
				landed);
	}

	@Override
	public void settleUnlessDone(Execution execution, Settlement settlement, Runnable done) {
		this.outcome.settleUnlessDone(execution, settlement, done);
	}

	@Override
	public void settled(Execution execution, Settlement settlement) {
		this.outcome.settled(execution, settlement);
	}

	@Override
	public void lost(Execution execution) {
		this.outcome.lost(execution);
	}

}
