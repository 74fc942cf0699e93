package io.gator.worker;

import io.gator.store.Settlement;

/**
 * Takes settlements for a test that expects no other outcomes.
 */
abstract class TestSettlements implements Settlements {

	static TestSettlements ignored() {
		return new TestSettlements() {

			@Override
			public void settle(Execution execution, Settlement settlement, Runnable landed) {
			}

		};
	}

	@Override
	public final void settleUnlessDone(Execution execution, Settlement settlement, Runnable done) {
		throw new UnsupportedOperationException();
	}

	@Override
	public final void settled(Execution execution, Settlement settlement) {
		throw new UnsupportedOperationException();
	}

	@Override
	public final void lost(Execution execution) {
		throw new UnsupportedOperationException();
	}

}
