package io.gator.worker;

import io.gator.store.ErrorText;
import io.gator.store.Settlement;

/**
 * Charges attempts that would go back uncharged, because the next one is likely to end in
 * the same way, and so is each one after it.
 */
final class ChargingSettlements implements Settlements {

	private final Settlements settlements;

	private final String reason;

	private ChargingSettlements(Settlements settlements, String reason) {
		this.settlements = settlements;
		this.reason = reason;
	}

	/**
	 * For a handler that called {@code System.exit}. The handler waits, whatever
	 * interrupts it, for the end of the JVM, which waits for the pool. Uncharged, its job
	 * would end one process after the other.
	 * @param settlements takes what becomes of the jobs
	 * @return what charges them
	 */
	static Settlements exit(Settlements settlements) {
		return new ChargingSettlements(settlements, "The handler called System.exit, which ended its process");
	}

	/**
	 * For an error that nobody foresaw: uncharged, its job would be run again at once,
	 * for ever.
	 * @param settlements takes what becomes of the jobs
	 * @param error the error
	 * @return what charges them
	 */
	static Settlements unforeseen(Settlements settlements, Throwable error) {
		return new ChargingSettlements(settlements, unforeseen(error));
	}

	private static String unforeseen(Throwable error) {
		try {
			return "An unexpected error ended the attempt: " + ErrorText.of(error);
		}
		catch (Throwable ex) {
			return "An unexpected error ended the attempt, and there was no memory to describe it";
		}
	}

	@Override
	public void settle(Execution execution, Settlement settlement, Runnable landed) {
		this.settlements.settle(execution,
				Settlement.Requeued.charged(settlement.id(), settlement.lease(), this.reason), landed);
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
