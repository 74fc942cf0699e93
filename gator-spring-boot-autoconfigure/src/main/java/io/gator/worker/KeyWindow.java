package io.gator.worker;

/**
 * How many of the oldest items a look for batches with a key covers. The items of a key
 * stand in the line among those of others: a short look sees few of each, and batches
 * stay small though there are items for full ones. A long look takes time, though, and
 * where each key has few items it hardly brings more. Used by the poller.
 */
final class KeyWindow {

	/** A look over so many items takes some 30 ms, for which all other claims wait. */
	static final int WIDEST = 20_000;

	private static final int FACTOR = 4;

	/** So many batches tell what a window brings. */
	private static final int TRIAL = 5;

	/** A wider one that brought hardly more is tried again after so many trials. */
	private static final int PAUSE = 20;

	private final int least;

	private int items;

	/** The batches of this trial, and the items in them. */
	private int batches;

	private int brought;

	/** What a batch had before the window was made wider; 0 if it was not. */
	private double before;

	private int pause;

	/**
	 * Create the shortest window.
	 * @param least how many items each look covers at least
	 */
	KeyWindow(int least) {
		this.least = least;
		this.items = least;
	}

	int items() {
		return this.items;
	}

	/**
	 * Note that a claim brought a full batch.
	 */
	void broughtAll() {
		// By little, or every other claim would bring less.
		resize(this.items - this.items / 8);
	}

	/**
	 * Note that a claim brought a batch that is not full.
	 * @param batch how many items it has
	 */
	void broughtLess(int batch) {
		this.brought += batch;
		if (++this.batches < TRIAL) {
			return;
		}
		double mean = (double) this.brought / this.batches;
		if (mean < 2 * this.before) {
			resize(this.items / FACTOR);
			this.pause = PAUSE;
			return;
		}
		boolean wider = this.pause == 0 && widen();
		this.pause = Math.max(0, this.pause - 1);
		this.batches = 0;
		this.brought = 0;
		this.before = wider ? mean : 0;
	}

	/**
	 * Make it the shortest one.
	 */
	void reset() {
		resize(this.least);
	}

	/**
	 * Make it wider, because there may be a batch behind the items that were looked at.
	 * @return {@code false} if it is the widest
	 */
	boolean widen() {
		int wider = Math.min(WIDEST, FACTOR * this.items);
		if (wider <= this.items) {
			return false;
		}
		resize(wider);
		return true;
	}

	private void resize(int items) {
		this.items = Math.max(this.least, items);
		this.batches = 0;
		this.brought = 0;
		this.before = 0;
	}

}
