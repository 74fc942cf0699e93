package io.gator.worker;

import org.slf4j.Logger;

/**
 * Says what a loop has met, and never throws: where there is no memory any more, or a
 * message cannot be read, saying so fails as well, and would end the thread for ever.
 */
final class Quietly {

	private Quietly() {
	}

	/**
	 * Say something, if that is possible.
	 * @param words what writes it into a log
	 */
	static void say(Runnable words) {
		try {
			words.run();
		}
		catch (Throwable ex) {
			// Whoever calls has more to do than to speak.
		}
	}

	/**
	 * Log an error, if that is possible. Whatever takes memory to be said is to be said
	 * by the {@code toString()} of its subject, and not before the call.
	 * @param logger the log
	 * @param message the message, with a place for its subject
	 * @param subject whom it concerns
	 * @param error the error
	 */
	static void error(Logger logger, String message, Object subject, Throwable error) {
		// Not by the method above, whose words would take memory before they are said.
		try {
			logger.error(message, subject, error);
		}
		catch (Throwable ex) {
			// Whoever calls has more to do than to speak.
		}
	}

}
