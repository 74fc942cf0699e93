package io.gator.fault;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Reaches into the engine to put a bug or a probe where no switch should be.
 */
final class Internals {

	private Internals() {
	}

	static Object get(Object target, String name) {
		try {
			return field(target, name).get(target);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	static void set(Object target, String name, Object value) {
		try {
			field(target, name).set(target, value);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Call a method of which there is only one by that name and number of arguments.
	 */
	static Object call(Object target, String name, Object... args) throws Exception {
		for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
			for (Method method : type.getDeclaredMethods()) {
				if (method.getName().equals(name) && method.getParameterCount() == args.length) {
					method.setAccessible(true);
					try {
						return method.invoke(target, args);
					}
					catch (InvocationTargetException ex) {
						throw (ex.getCause() instanceof Exception cause) ? cause : ex;
					}
				}
			}
		}
		throw new IllegalStateException(target.getClass().getName() + " has no method " + name);
	}

	private static Field field(Object target, String name) {
		for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
			try {
				Field field = type.getDeclaredField(name);
				field.setAccessible(true);
				return field;
			}
			catch (NoSuchFieldException ex) {
				// It may be one of the superclass.
			}
		}
		throw new IllegalStateException(target.getClass().getName() + " has no field " + name);
	}

}
