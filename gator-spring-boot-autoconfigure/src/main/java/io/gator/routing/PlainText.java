package io.gator.routing;

import org.jspecify.annotations.Nullable;

/**
 * A short way to and from JSON for arguments of the plainest kinds: numbers, truth values
 * and texts of printable ASCII, which are most arguments of most jobs. Anything that does
 * not have exactly the form written here is left to Jackson, which decides in all cases
 * of doubt.
 */
final class PlainText {

	/** How many digits fit a long, whatever they are; half as many fit an int. */
	private static final int SAFE_DIGITS = 18;

	private PlainText() {
	}

	/**
	 * Write arguments.
	 * @param values the values: numbers, truth values and texts
	 * @return a JSON array, or {@code null} if it takes Jackson
	 */
	static @Nullable String write(@Nullable Object[] values) {
		StringBuilder json = new StringBuilder(32).append('[');
		for (Object value : values) {
			if (json.length() > 1) {
				json.append(',');
			}
			if (value instanceof String text) {
				if (!isSimple(text)) {
					return null;
				}
				json.append('"').append(text).append('"');
			}
			else {
				json.append(value);
			}
		}
		return json.append(']').toString();
	}

	/**
	 * Read arguments.
	 * @param json a JSON array
	 * @param kinds the kinds of the arguments
	 * @return the values, or {@code null} if it takes Jackson
	 */
	static @Nullable Object @Nullable [] read(String json, Argument.Kind[] kinds) {
		@Nullable Object[] values = new @Nullable Object[kinds.length];
		int at = 0;
		for (int i = 0; i < kinds.length; i++) {
			if (at >= json.length() || json.charAt(at) != ((i == 0) ? '[' : ',')) {
				return null;
			}
			int begin = at + 1;
			at = end(json, begin, kinds[i]);
			if (at < 0) {
				return null;
			}
			values[i] = value(json, begin, at, kinds[i]);
		}
		return (at == json.length() - 1 && json.charAt(at) == ']') ? values : null;
	}

	private static boolean isSimple(String text) {
		for (int i = 0; i < text.length(); i++) {
			if (!isSimple(text.charAt(i))) {
				return false;
			}
		}
		return true;
	}

	private static boolean isSimple(char c) {
		return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
	}

	private static int end(String json, int begin, Argument.Kind kind) {
		return switch (kind) {
			case INT -> numberEnd(json, begin, SAFE_DIGITS / 2);
			case LONG -> numberEnd(json, begin, SAFE_DIGITS);
			case BOOLEAN ->
				json.startsWith("true", begin) ? begin + 4 : json.startsWith("false", begin) ? begin + 5 : -1;
			case STRING -> textEnd(json, begin);
			case OTHER -> -1;
		};
	}

	private static int numberEnd(String json, int begin, int maxDigits) {
		int first = (begin < json.length() && json.charAt(begin) == '-') ? begin + 1 : begin;
		int at = first;
		while (at < json.length() && json.charAt(at) >= '0' && json.charAt(at) <= '9') {
			at++;
		}
		int digits = at - first;
		boolean leadingZero = digits > 1 && json.charAt(first) == '0';
		return (digits > 0 && digits <= maxDigits && !leadingZero) ? at : -1;
	}

	private static int textEnd(String json, int begin) {
		if (begin >= json.length() || json.charAt(begin) != '"') {
			return -1;
		}
		for (int at = begin + 1; at < json.length(); at++) {
			char c = json.charAt(at);
			if (c == '"') {
				return at + 1;
			}
			if (!isSimple(c)) {
				return -1;
			}
		}
		return -1;
	}

	private static Object value(String json, int begin, int end, Argument.Kind kind) {
		return switch (kind) {
			case INT -> Integer.parseInt(json, begin, end, 10);
			case LONG -> Long.parseLong(json, begin, end, 10);
			case BOOLEAN -> json.charAt(begin) == 't';
			default -> json.substring(begin + 1, end - 1);
		};
	}

}
