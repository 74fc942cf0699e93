package io.gator.worker;

/**
 * How many of the oldest items a look for batches with a key covers. The items of a key
 * stand in the line among those of other keys: a short look sees few of each, and batches
 * stay small though there are items for full ones. A long look takes time, though, and
 * where each key has few items it hardly brings more. Used by the poller.
 * <p>
 * A look that has found no batch at all is followed by longer ones at once. What these
 * find says nothing about the size of batches, so only a full batch, or a trial, makes
 * the looks after them longer.
 */
final class KeyWindow {

	/**
	 * At most this many items are covered: such a look takes some 30 ms, for which all
	 * other claims wait.
	 */
	static final int WIDEST = 20_000;

	private static final int FACTOR = 4;

	/** How many batches tell what a window brings: a trial. */
	private static final int TRIAL = 5;

	/**
	 * How many trials pass before a wider window that brought hardly more is tried again.
	 */
	private static final int PAUSE = 20;

	private final int least;

	private int items;

	/** The window of a look that follows one that has found nothing, or 0. */
	private int further;

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
		return Math.max(this.items, this.further);
	}

	/**
	 * Note that a claim brought full batches.
	 */
	void broughtAll() {
		// Narrower by little, or every other claim would bring less.
		resize(items() - items() / 8);
	}

	/**
	 * Note that a claim brought batches of which some are not full.
	 * @param batches how many
	 * @param items how many items they have in all
	 */
	void broughtLess(int batches, int items) {
		if (this.further > 0) {
			this.further = 0;
			return;
		}
		this.batches += batches;
		this.brought += items;
		if (this.batches < TRIAL) {
			return;
		}
		double mean = (double) this.brought / this.batches;
		if (mean < 2 * this.before) {
			resize(this.items / FACTOR);
			this.pause = PAUSE;
			return;
		}
		if (this.pause > 0) {
			this.pause--;
			resize(this.items);
			return;
		}
		int wider = wider();
		resize(Math.max(this.items, wider));
		this.before = (wider > 0) ? mean : 0;
	}

	/**
	 * Look further than the last look, which has found nothing.
	 * @return {@code false} if no look goes further
	 */
	boolean lookFurther() {
		this.further = wider();
		return this.further > 0;
	}

	/**
	 * Note that there was nothing to find.
	 */
	void foundNothing() {
		this.further = 0;
	}

	/**
	 * Make it the shortest one.
	 */
	void reset() {
		resize(this.least);
	}

	/** The next wider window, or 0. */
	private int wider() {
		int wider = Math.min(WIDEST, FACTOR * items());
		return (wider > items()) ? wider : 0;
	}

	private void resize(int items) {
		this.items = Math.max(this.least, items);
		this.further = 0;
		this.batches = 0;
		this.brought = 0;
		this.before = 0;
	}

}
