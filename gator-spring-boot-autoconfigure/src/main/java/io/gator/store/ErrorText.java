package io.gator.store;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Writes an exception down, whatever it is: causes in circles, a {@code getMessage()}
 * that throws, characters that PostgreSQL does not take. Each part is cut to a size.
 * PostgreSQL's {@code Detail:} is left out, because it quotes values.
 */
public final class ErrorText {

	public static final int MAX_MESSAGE = 2_000;

	static final int MAX_TOTAL = 16_000;

	private static final int MAX_CAUSES = 10;

	private static final int MAX_FRAMES = 30;

	private final StringBuilder text = new StringBuilder(512);

	private final Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());

	private ErrorText() {
	}

	/**
	 * Write an exception down.
	 * @param error the exception
	 * @return class, message and stack trace, of its causes and suppressed ones, too
	 */
	public static String of(Throwable error) {
		ErrorText writer = new ErrorText();
		writer.write("", error, 0);
		return cut(sanitize(writer.text), MAX_TOTAL);
	}

	/**
	 * Write down only what an exception says, such as the reason of a cancellation.
	 * @param error the exception
	 * @return its message, or {@code null} if it has none
	 */
	public static @Nullable String messageOf(Throwable error) {
		String message = message(error);
		return (message != null) ? sanitize(message) : null;
	}

	/**
	 * Make a text that PostgreSQL takes.
	 * @param text any text
	 * @return the text without U+0000 and lone surrogates
	 */
	static String sanitize(CharSequence text) {
		StringBuilder clean = new StringBuilder(text.length());
		for (int i = 0; i < text.length(); i++) {
			char c = text.charAt(i);
			if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
				clean.append(c).append(text.charAt(++i));
			}
			else {
				clean.append((c == 0 || Character.isSurrogate(c)) ? '\uFFFD' : c);
			}
		}
		return clean.toString();
	}

	private void write(String prefix, Throwable error, int depth) {
		if (depth > MAX_CAUSES || this.text.length() > MAX_TOTAL) {
			this.text.append(prefix).append("…\n");
			return;
		}
		if (!this.seen.add(error)) {
			this.text.append(prefix).append(error.getClass().getName()).append(" (again)\n");
			return;
		}
		this.text.append(prefix).append(error.getClass().getName());
		String message = message(error);
		if (message != null) {
			this.text.append(": ").append(message);
		}
		this.text.append('\n');
		frames(error);
		for (Throwable suppressed : suppressed(error)) {
			write("Suppressed: ", suppressed, depth + 1);
		}
		Throwable cause = cause(error);
		if (cause != null) {
			write("Caused by: ", cause, depth + 1);
		}
	}

	private static @Nullable String message(Throwable error) {
		try {
			String message = error.getMessage();
			if (message == null) {
				return null;
			}
			return cut(withoutDetail(error, withoutBatch(error, message)), MAX_MESSAGE);
		}
		catch (Throwable ex) {
			return "(its message cannot be read: " + ex.getClass().getName() + ')';
		}
	}

	/**
	 * When a batch is refused, the driver's exception quotes the statement with its
	 * values, and exceptions that wrap it repeat its message to the letter.
	 */
	private static String withoutBatch(Throwable error, String message) {
		String clean = message;
		for (Throwable each : SqlErrors.causes(error).toList()) {
			if (each instanceof BatchUpdateException batch) {
				String quoting = batch.getMessage();
				clean = (quoting == null || quoting.isEmpty()) ? clean : clean.replace(quoting, refused(batch));
			}
		}
		return clean;
	}

	private static String refused(BatchUpdateException batch) {
		String reason = (cause(batch) instanceof SQLException ex) ? SqlErrors.withoutDetail(ex)
				: "[" + batch.getSQLState() + "]";
		return "A statement of a batch was refused: " + reason;
	}

	/**
	 * The driver puts what the server adds to its message on lines of its own. These
	 * lines quote values, which may hold line breaks, and begin with words in the
	 * language of the JVM. Nothing says where a value ends, so nothing after the message
	 * is kept.
	 */
	private static String withoutDetail(Throwable error, String message) {
		int end = message.indexOf(isOfDatabase(error) ? "\n  " : "\n  Detail:");
		return (end >= 0) ? message.substring(0, end) : message;
	}

	private static boolean isOfDatabase(Throwable error) {
		return SqlErrors.causes(error).anyMatch(SQLException.class::isInstance);
	}

	private void frames(Throwable error) {
		StackTraceElement[] frames;
		try {
			frames = error.getStackTrace();
		}
		catch (Throwable ex) {
			return;
		}
		if (frames == null) {
			// An exception may override the method and return null against its contract.
			return;
		}
		for (int i = 0; i < Math.min(frames.length, MAX_FRAMES); i++) {
			this.text.append("\tat ").append(frames[i]).append('\n');
		}
		if (frames.length > MAX_FRAMES) {
			this.text.append("\t… ").append(frames.length - MAX_FRAMES).append(" more\n");
		}
	}

	private static Throwable[] suppressed(Throwable error) {
		try {
			return error.getSuppressed();
		}
		catch (Throwable ex) {
			return new Throwable[0];
		}
	}

	/**
	 * The cause of an exception.
	 * @param error the exception
	 * @return its cause, or {@code null} if it has none, or throws when asked for it
	 */
	static @Nullable Throwable cause(Throwable error) {
		try {
			return error.getCause();
		}
		catch (Throwable ex) {
			return null;
		}
	}

	private static String cut(String text, int most) {
		if (text.length() <= most) {
			return text;
		}
		int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
		return text.substring(0, end) + "…";
	}

}
