package io.gator.worker;

import org.slf4j.Logger;

/**
 * Logs what a loop has met, and never throws: where there is no memory any more, or a
 * message cannot be read, logging fails as well, and would end the thread of the loop for
 * ever.
 */
final class Quietly {

	private Quietly() {
	}

	/**
	 * Log something, if that is possible.
	 * @param words what writes it into a log
	 */
	static void say(Runnable words) {
		try {
			words.run();
		}
		catch (Throwable ex) {
			// The caller has more to do than to log.
		}
	}

	/**
	 * Log an error, if that is possible. Text that takes memory is to be made by the
	 * {@code toString()} of the subject, and not before the call.
	 * @param logger the log
	 * @param message the message, with a place for its subject
	 * @param subject what it concerns
	 * @param error the error
	 */
	static void error(Logger logger, String message, Object subject, Throwable error) {
		// Not by the method above: what is passed to it would take memory before its try
		// begins.
		try {
			logger.error(message, subject, error);
		}
		catch (Throwable ex) {
			// The caller has more to do than to log.
		}
	}

}
