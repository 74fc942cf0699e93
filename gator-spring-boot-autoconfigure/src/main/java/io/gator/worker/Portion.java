package io.gator.worker;

import java.util.List;

import io.gator.routing.BufferSpec;
import io.gator.store.ClaimedJob;

/**
 * How much of the line of a buffered job is claimed at once: how many batches of how many
 * items, and how many of the oldest items are looked at for them. Used by the poller.
 */
final class Portion {

	/**
	 * How many batches' worth of items a look covers at least where items have a key:
	 * items of several batches stand in the line one behind another.
	 */
	private static final int WINDOWS_WITH_KEY = 10;

	/**
	 * How many batches' worth of items a look covers after a claim that brought less than
	 * one: what other pools take at the same time stands at the head of the line.
	 */
	private static final int WINDOWS_BESIDE_OTHERS = 4;

	/**
	 * How many items a claim is to bring at most, if they are more than one batch. More
	 * would gain nothing, and the first batch would have to wait for all.
	 */
	private static final int MOST_ITEMS = 1_000;

	private final BufferSpec spec;

	private final ClaimSize limits = new ClaimSize();

	private final KeyWindow keyWindow;

	/** The most items of a batch. */
	private int size;

	private int batches = 1;

	/**
	 * How many items a batch has: where items have a key, often fewer than it may have.
	 */
	private int usual;

	/** Whether the last claim brought a batch that was not full, or none. */
	private boolean less;

	Portion(BufferSpec spec) {
		this.spec = spec;
		this.keyWindow = new KeyWindow(WINDOWS_WITH_KEY * spec.size());
		this.size = spec.size();
		this.usual = spec.size();
	}

	/**
	 * Choose what the next claim asks for.
	 * @param most how many batches at most
	 */
	void choose(int most) {
		int items = this.limits.limit(this.spec.size() * wanted(most));
		this.size = Math.min(items, this.spec.size());
		this.batches = items / this.size;
	}

	/**
	 * They may all be full, though they seldom are where items have a key, so there must
	 * be memory for that.
	 */
	private int wanted(int most) {
		int wanted = Math.min(most, MOST_ITEMS / this.usual);
		return Math.max(1, Math.min(wanted, this.limits.fitting() / this.spec.size()));
	}

	/**
	 * How many items a batch has at most.
	 * @return the number; fewer than the job says where so many were too much lately
	 */
	int size() {
		return this.size;
	}

	int batches() {
		return this.batches;
	}

	/**
	 * How many of the oldest items are looked at.
	 * @return the number
	 */
	int window() {
		if (hasKey()) {
			return this.keyWindow.items();
		}
		return (this.less ? WINDOWS_BESIDE_OTHERS : 1) * this.batches * this.size;
	}

	/**
	 * Note what the claim brought.
	 * @param brought the items of each batch
	 * @param items all of these
	 * @return whether there were batches and all of them were full
	 */
	boolean claimed(List<List<ClaimedJob>> brought, List<ClaimedJob> items) {
		this.less = brought.isEmpty() || brought.stream().anyMatch((batch) -> batch.size() < this.size);
		this.limits.answered(this.batches * this.size, items);
		if (hasKey() && !items.isEmpty()) {
			this.usual = (items.size() + brought.size() - 1) / brought.size();
		}
		if (!this.less) {
			this.keyWindow.broughtAll();
		}
		else if (!items.isEmpty()) {
			this.keyWindow.broughtLess(brought.size(), items.size());
		}
		return !this.less;
	}

	/**
	 * Look further than the last look, which has found no batch.
	 * @return {@code false} if no look goes further: only items with a key may be batches
	 * with those behind them
	 */
	boolean lookFurther() {
		return hasKey() && this.keyWindow.lookFurther();
	}

	/**
	 * Note that there was nothing to find.
	 */
	void foundNothing() {
		this.keyWindow.foundNothing();
	}

	/**
	 * Note that the claim failed.
	 * @param failure why
	 */
	void failed(Throwable failure) {
		this.limits.failed(this.batches * this.size, failure);
	}

	/**
	 * Note that the claim or a look took longer than a statement may.
	 */
	void brokenOff() {
		this.keyWindow.reset();
	}

	private boolean hasKey() {
		return this.spec.key() != null;
	}

}
