package io.gator.dispatch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.gator.JobDispatchException;
import io.gator.store.DispatchStore;
import io.gator.store.Inserted;
import io.gator.store.NewArgs;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a bulk, all of them encoded and checked before the first is sent. What
 * was encoded is kept as long as it is small, and encoded again when its turn comes
 * otherwise: a bulk of any number of elements takes little more memory than they do.
 */
final class Bulk {

	/**
	 * The most rows of one chunk. With 20,000 a bulk takes a thirtieth longer, with
	 * 100,000 no less.
	 */
	static final int CHUNK_ROWS = 50_000;

	/** The most characters of one chunk, unless a single row has more. */
	static final int CHUNK_CHARS = 4_000_000;

	/** How much of what was encoded is kept. */
	static final int KEPT_CHARS = 16_000_000;

	private final Encoder encoder;

	private final Target target;

	private final Object[] elements;

	private final @Nullable NewArgs[] kept;

	/** Which element each row is of; {@code null} if no element has a unique key. */
	private int @Nullable [] rows;

	/** Where chunks end, exclusively, in rows. */
	private final List<Integer> ends = new ArrayList<>();

	/**
	 * Encode and check.
	 * @param encoder encodes elements
	 * @param target the job
	 * @param each the elements
	 * @throws JobDispatchException if one of them is refused, and with it all
	 */
	Bulk(Encoder encoder, Target target, Collection<?> each) {
		this.encoder = encoder;
		this.target = target;
		this.elements = elements(target, each);
		this.kept = new @Nullable NewArgs[this.elements.length];
		check();
	}

	int size() {
		return this.elements.length;
	}

	/**
	 * Whether it is all or none only in a transaction. Keys take several statements even
	 * for a few elements: an insert, and a look for the jobs that have the others.
	 */
	boolean takesSeveralStatements() {
		return chunks() > 1 || size() >= DispatchStore.SEVERAL_STATEMENTS || this.rows != null && size() > 1;
	}

	int chunks() {
		return this.ends.size();
	}

	/**
	 * One chunk.
	 * @param number its number, from 0
	 * @return what goes into its rows
	 */
	List<NewArgs> chunk(int number) {
		int begin = (number == 0) ? 0 : this.ends.get(number - 1);
		int end = this.ends.get(number);
		NewArgs[] chunk = new NewArgs[end - begin];
		for (int row = begin; row < end; row++) {
			int element = element(row);
			NewArgs known = this.kept[element];
			chunk[row - begin] = (known != null) ? known : encode(element);
			this.kept[element] = null;
		}
		return Arrays.asList(chunk);
	}

	private int element(int row) {
		return (this.rows != null) ? this.rows[row] : row;
	}

	/**
	 * Put what became of the rows in the order of the caller's elements.
	 * @param inserted of all chunks, one after the other
	 * @return the same in the caller's order
	 */
	Inserted inCallersOrder(Inserted inserted) {
		if (this.rows == null) {
			return inserted;
		}
		Long[] ids = new Long[size()];
		for (int row = 0; row < ids.length; row++) {
			ids[element(row)] = inserted.ids().get(row);
		}
		Set<Long> added = new HashSet<>(inserted.added());
		return new Inserted(new ArrayList<>(Arrays.asList(ids)), Arrays.stream(ids).filter(added::remove).toList());
	}

	private void check() {
		@Nullable String[] keys = new @Nullable String[size()];
		int[] lengths = new int[size()];
		boolean anyKey = false;
		long total = 0;
		for (int i = 0; i < size(); i++) {
			NewArgs encoded = encode(i);
			keys[i] = encoded.uniqueKey();
			anyKey |= keys[i] != null;
			lengths[i] = encoded.args().length();
			total += lengths[i];
			if (total <= KEPT_CHARS) {
				this.kept[i] = encoded;
			}
		}
		if (anyKey) {
			this.rows = inOrderOf(keys);
		}
		divide(lengths);
	}

	/**
	 * The order of the keys, over all chunks: two bulks with the same keys wait for each
	 * other then, instead of dying in a deadlock.
	 */
	private static int[] inOrderOf(@Nullable String[] keys) {
		return IntStream.range(0, keys.length)
			.boxed()
			.sorted(Comparator.comparing((element) -> keys[element], Comparator.nullsLast(Comparator.naturalOrder())))
			.mapToInt(Integer::intValue)
			.toArray();
	}

	private void divide(int[] lengths) {
		int rows = 0;
		long chars = 0;
		for (int row = 0; row < size(); row++) {
			int length = lengths[element(row)];
			if (rows == CHUNK_ROWS || rows > 0 && chars + length > CHUNK_CHARS) {
				this.ends.add(row);
				rows = 0;
				chars = 0;
			}
			rows++;
			chars += length;
		}
		this.ends.add(size());
	}

	private NewArgs encode(int index) {
		try {
			return this.encoder.encodeElement(this.target, this.elements[index]);
		}
		catch (JobDispatchException ex) {
			throw new JobDispatchException(ex.getMessage() + " This is element " + index + " of " + this.elements.length
					+ ", and none of them was dispatched.", ex.getCause());
		}
	}

	private static Object[] elements(Target target, Collection<?> each) {
		List<Object> elements = new ArrayList<>();
		try {
			for (Object element : each) {
				if (element == null) {
					throw target.refused("element " + elements.size() + " is null; for an argument that is null, "
							+ "use JobArgs.args(…)");
				}
				elements.add(element);
			}
		}
		catch (JobDispatchException ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new JobDispatchException("Job '" + target.name() + "' was not dispatched: after " + elements.size()
					+ " elements the iterator threw " + ex.getClass().getName() + ".", ex);
		}
		return elements.toArray();
	}

}
