package io.gator.test;

/**
 * Throws checked exceptions where none is declared, as Kotlin does.
 */
public final class Undeclared {

	private Undeclared() {
	}

	/**
	 * Throw an exception.
	 * @param exception what to throw
	 */
	public static void rethrow(Exception exception) {
		Undeclared.<RuntimeException>sneak(exception);
	}

	@SuppressWarnings("unchecked")
	private static <E extends Exception> void sneak(Exception exception) throws E {
		throw (E) exception;
	}

}
