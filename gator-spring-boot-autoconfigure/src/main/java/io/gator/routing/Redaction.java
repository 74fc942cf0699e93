package io.gator.routing;

import java.lang.reflect.Field;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.MismatchedInputException;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * What may be said of a failure while JSON was written or read. Messages of Jackson, and
 * of constructors and accessors that it calls, quote values; types and places do not.
 */
final class Redaction {

	/** How far causes are followed: they may go round in a circle. */
	private static final int MAX_CAUSES = 100;

	private Redaction() {
	}

	/**
	 * Say what happened.
	 * @param failure what was thrown
	 * @return types and places
	 */
	static String describe(Throwable failure) {
		if (failure instanceof StackOverflowError) {
			return "it is nested too deeply or contains itself";
		}
		Throwable root = root(failure);
		StringBuilder text = new StringBuilder();
		if (root instanceof StreamConstraintsException constraint) {
			text.append(constraint.getOriginalMessage());
		}
		else {
			text.append(ClassUtils.getShortName(root.getClass()));
			String type = type(failure);
			if (type != null) {
				text.append(" for ").append(type);
			}
		}
		String path = path(failure);
		return path.isEmpty() ? text.toString() : text.append(" at ").append(path).toString();
	}

	/**
	 * Keep what shows where it happened.
	 * @param failure what was thrown
	 * @return an exception with the stack trace of its root, but not its message
	 */
	static Throwable withoutMessage(Throwable failure) {
		return new Withheld(root(failure));
	}

	private static Throwable root(Throwable failure) {
		Throwable root = failure;
		Throwable cause = cause(root);
		for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
			root = cause;
			cause = cause(root);
		}
		return root;
	}

	/** An exception of the application's may throw when it is asked for anything. */
	private static @Nullable Throwable cause(Throwable failure) {
		try {
			return failure.getCause();
		}
		catch (Throwable ex) {
			return null;
		}
	}

	private static @Nullable String type(Throwable failure) {
		Throwable each = failure;
		for (int depth = 0; each != null && depth < MAX_CAUSES; depth++, each = cause(each)) {
			if (each instanceof InvalidDefinitionException invalid && invalid.getType() != null) {
				return invalid.getType().toCanonical();
			}
			if (each instanceof MismatchedInputException mismatched && mismatched.getTargetType() != null) {
				return mismatched.getTargetType().getTypeName();
			}
		}
		return null;
	}

	private static String path(Throwable failure) {
		if (!(failure instanceof JacksonException jackson)) {
			return "";
		}
		StringBuilder path = new StringBuilder();
		for (JacksonException.Reference reference : jackson.getPath()) {
			String property = reference.getPropertyName();
			if (property == null) {
				path.append('[').append(reference.getIndex()).append(']');
			}
			else if (isDeclared(reference.from(), property)) {
				path.append((path.length() > 0) ? "." : "").append(property);
			}
			else {
				path.append("[*]");
			}
		}
		return path.toString();
	}

	// The key of a map is a value as well, and so is a property that no class declares.
	private static boolean isDeclared(@Nullable Object from, String property) {
		if (from == null) {
			return false;
		}
		Class<?> type = (from instanceof Class<?> given) ? given : from.getClass();
		if (Map.class.isAssignableFrom(type)) {
			return false;
		}
		Field field = ReflectionUtils.findField(type, property);
		return field != null || ClassUtils.hasMethod(type, "get" + StringUtils.capitalize(property));
	}

	/**
	 * Stands in for an exception whose message may quote values.
	 */
	private static final class Withheld extends RuntimeException {

		private static final long serialVersionUID = 1L;

		private final String type;

		Withheld(Throwable original) {
			super("message withheld, for it may quote arguments");
			this.type = original.getClass().getName();
			try {
				setStackTrace(original.getStackTrace());
			}
			catch (Throwable ex) {
				// It has none then: the original throws when asked for it, or has null.
			}
		}

		@Override
		public Throwable fillInStackTrace() {
			return this;
		}

		@Override
		public String toString() {
			return this.type + " (" + getMessage() + ")";
		}

	}

}
