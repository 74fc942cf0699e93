package io.gator.routing;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.util.NumberUtils;

/**
 * Widening of numbers, as in a call in Java.
 */
final class Widening {

	private static final List<Class<? extends Number>> ORDER = List.of(Byte.class, Short.class, Integer.class,
			Long.class, Float.class, Double.class);

	private Widening() {
	}

	static boolean isPossible(Class<?> from, Class<?> to) {
		int rank = ORDER.indexOf(from);
		return rank >= 0 && rank < ORDER.indexOf(to);
	}

	/**
	 * Widen a number.
	 * @param value the value
	 * @param to a boxed type
	 * @return a value of that type, or {@code null} if it is not wider
	 */
	static @Nullable Object widen(Object value, Class<?> to) {
		return (value instanceof Number number && isPossible(value.getClass(), to))
				? NumberUtils.convertNumberToTargetClass(number, to.asSubclass(Number.class)) : null;
	}

}
