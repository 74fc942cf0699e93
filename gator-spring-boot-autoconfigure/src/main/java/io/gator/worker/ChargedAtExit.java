package io.gator.worker;

import java.time.Duration;

import io.gator.store.Settlement;

/**
 * Makes an attempt count that called {@code System.exit}. Such a handler waits, deaf to
 * interrupts, for the end of the JVM, which waits for the pool: given back uncharged its
 * job would end one process after the other.
 */
final class ChargedAtExit implements Settlements {

	private static final String REASON = "The handler called System.exit, which ended its process";

	private final Settlements settlements;

	ChargedAtExit(Settlements settlements) {
		this.settlements = settlements;
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
		this.settlements.settle(execution,
				new Settlement.Requeued(settlement.id(), settlement.lease(), Duration.ZERO, null, REASON, true, 0),
				landed);
	}

	@Override
	public void settleUnlessDone(Execution execution, Settlement settlement, Runnable done) {
		this.settlements.settleUnlessDone(execution, settlement, done);
	}

	@Override
	public void settled(Execution execution, Settlement settlement) {
		this.settlements.settled(execution, settlement);
	}

	@Override
	public void lost(Execution execution) {
		this.settlements.lost(execution);
	}

}
