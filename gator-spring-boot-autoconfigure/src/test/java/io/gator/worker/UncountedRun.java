package io.gator.worker;

/**
 * A batch that nobody counts.
 */
final class UncountedRun implements Batch.Counter {

	@Override
	public void begins() {
	}

	@Override
	public void leavesSlot() {
	}

	@Override
	public void ends() {
	}

}
