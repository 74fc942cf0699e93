package io.gator.worker;

import io.gator.store.StoreException;

/**
 * How much a claim may ask for. One whose answer does not fit into memory, or does not
 * come in time, would fail again and again: the next one asks for an eighth, and as long
 * as claims bring all that they ask for, each asks for twice as much as the one before.
 * Used by the poller.
 */
final class ClaimSize {

	/** Few steps down, as each costs a pause; the way up is the slower one. */
	private static final int STEP = 8;

	private int most = Integer.MAX_VALUE;

	/**
	 * How much to ask for.
	 * @param wanted how much would be asked for if nothing had failed
	 * @return as much or less, at least 1
	 */
	int limit(int wanted) {
		return Math.min(wanted, this.most);
	}

	/**
	 * Note that a claim failed.
	 * @param asked how much it asked for
	 * @param failure why; not all failures have to do with the size
	 */
	void failed(int asked, Throwable failure) {
		boolean tooMuch = failure instanceof OutOfMemoryError
				|| failure instanceof StoreException ex && (ex.isOutOfMemory() || ex.isTimeout());
		if (tooMuch) {
			this.most = Math.max(1, asked / STEP);
		}
	}

	/**
	 * Note that a claim was answered.
	 * @param asked how much it asked for
	 * @param brought how much it brought
	 */
	void answered(int asked, int brought) {
		// One that brought less does not tell whether all would have fitted.
		if (brought >= asked) {
			this.most = (int) Math.min(Integer.MAX_VALUE, 2L * this.most);
		}
	}

}
