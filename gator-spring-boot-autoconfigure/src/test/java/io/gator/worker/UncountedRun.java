package io.gator.worker;

/**
 * A batch that nobody counts.
 */
final class UncountedRun implements Batch.Run {

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
