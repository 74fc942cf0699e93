package io.gator.routing;

import java.io.IOException;
import java.io.Writer;
import java.util.Arrays;

/**
 * Collects JSON up to a limit. Text beyond the limit is not kept, only that there was
 * more: an argument that is refused anyway must not fill the heap.
 */
final class JsonText extends Writer {

	private static final int SMALL = 256;

	private final int limit;

	private char[] chars = new char[SMALL];

	private int length;

	private boolean overflown;

	/**
	 * Create an empty text.
	 * @param limit the most bytes that it may have in UTF-8
	 */
	JsonText(int limit) {
		this.limit = limit;
	}

	@Override
	public void write(char[] source, int offset, int count) throws IOException {
		if (this.overflown) {
			return;
		}
		if (count > this.limit - this.length) {
			this.overflown = true;
			throw new IOException("Too large");
		}
		if (this.chars.length < this.length + count) {
			this.chars = Arrays.copyOf(this.chars,
					(int) Math.min(Math.max(2L * this.chars.length, this.length + count), this.limit));
		}
		System.arraycopy(source, offset, this.chars, this.length, count);
		this.length += count;
	}

	@Override
	public void flush() {
	}

	@Override
	public void close() {
	}

	boolean isOverflown() {
		return this.overflown;
	}

	/**
	 * Count the bytes in UTF-8.
	 * @return the number, larger than any limit if there was more than is kept, or -1 if
	 * there is half a surrogate pair
	 */
	long size() {
		return this.overflown ? Long.MAX_VALUE : size(this.chars, this.length);
	}

	@Override
	public String toString() {
		return new String(this.chars, 0, this.length);
	}

	private static long size(char[] chars, int length) {
		long size = length;
		for (int i = 0; i < length; i++) {
			char c = chars[i];
			if (c >= 0x80) {
				if (c < 0x800) {
					size++;
				}
				else if (!Character.isSurrogate(c)) {
					size += 2;
				}
				else if (Character.isHighSurrogate(c) && i + 1 < length && Character.isLowSurrogate(chars[i + 1])) {
					size += 2;
					i++;
				}
				else {
					return -1;
				}
			}
		}
		return size;
	}

}
