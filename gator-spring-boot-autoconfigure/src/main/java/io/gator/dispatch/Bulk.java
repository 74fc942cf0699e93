package io.gator.dispatch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import io.gator.JobDispatchException;
import io.gator.store.DispatchStore;
import io.gator.store.NewArgs;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a bulk, all of them encoded and checked before the first is sent. What
 * was encoded is kept as long as it is small, and encoded again when its turn comes
 * otherwise: a bulk of any number of elements takes little more memory than they do.
 */
final class Bulk {

	/** The most rows of one chunk. */
	static final int CHUNK_ROWS = 10_000;

	/** The most characters of one chunk, unless a single row has more. */
	static final int CHUNK_CHARS = 4_000_000;

	/** How much of what was encoded is kept. */
	static final int KEPT_CHARS = 16_000_000;

	private final Encoder encoder;

	private final Target target;

	private final Object[] elements;

	private final @Nullable NewArgs[] kept;

	private boolean keys;

	/** Where chunks end, exclusively. */
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
		return chunks() > 1 || size() >= DispatchStore.SEVERAL_STATEMENTS || this.keys && size() > 1;
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
		for (int i = begin; i < end; i++) {
			NewArgs known = this.kept[i];
			chunk[i - begin] = (known != null) ? known : encode(i);
			this.kept[i] = null;
		}
		return Arrays.asList(chunk);
	}

	private void check() {
		long total = 0;
		int rows = 0;
		long chars = 0;
		for (int i = 0; i < this.elements.length; i++) {
			NewArgs encoded = encode(i);
			this.keys |= encoded.uniqueKey() != null;
			int length = encoded.args().length();
			if (rows == CHUNK_ROWS || rows > 0 && chars + length > CHUNK_CHARS) {
				this.ends.add(i);
				rows = 0;
				chars = 0;
			}
			rows++;
			chars += length;
			total += length;
			if (total <= KEPT_CHARS) {
				this.kept[i] = encoded;
			}
		}
		this.ends.add(this.elements.length);
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
