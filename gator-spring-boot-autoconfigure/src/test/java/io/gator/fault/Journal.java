package io.gator.fault;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An append-only file of events. Each is handed to the operating system before the next
 * step is taken, so it outlives the process, however that ends. Times are
 * {@code System.nanoTime()}, which the processes of one machine share.
 */
final class Journal {

	// Not a channel: interrupting a thread that writes would close it.
	private final FileOutputStream stream;

	Journal(Path file) {
		try {
			this.stream = new FileOutputStream(file.toFile(), true);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	void write(String what, Object... values) {
		synchronized (this.stream) {
			StringBuilder line = new StringBuilder(what).append(' ').append(System.nanoTime());
			for (Object value : values) {
				line.append(' ').append(value);
			}
			try {
				this.stream.write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	static List<Entry> read(Path file) {
		try {
			if (!Files.exists(file)) {
				return List.of();
			}
			String text = Files.readString(file);
			List<Entry> entries = new ArrayList<>();
			int from = 0;
			// What comes after the last line end was cut off with its process.
			for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
				String[] parts = text.substring(from, end).split(" ");
				entries.add(new Entry(parts[0], Long.parseLong(parts[1]), parts));
				from = end + 1;
			}
			return entries;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * One event.
	 *
	 * @param what what happened
	 * @param nanos when
	 * @param parts all words of the line
	 */
	record Entry(String what, long nanos, String[] parts) {

		long number(int index) {
			return Long.parseLong(this.parts[index + 2]);
		}

		String text(int index) {
			return this.parts[index + 2];
		}

	}

}
