package io.gator;

import java.util.List;

/**
 * The items of a batch, for a {@link Buffered} handler that can fail some of them. Not
 * thread-safe: use it only on the thread that called the handler.
 *
 * @param <E> the type of an item
 */
public interface JobBatch<E> {

	/**
	 * The items, in the order of their ids.
	 * @return an unmodifiable list
	 */
	List<E> items();

	/**
	 * Fail one item. The items that are not failed succeed when the handler returns. If
	 * the handler throws, its exception counts for all items.
	 * @param item one of {@link #items()}, by identity
	 * @param cause why; the first one counts
	 * @throws IllegalArgumentException if the item is not of this batch
	 */
	void fail(E item, Throwable cause);

}
