package io.gator.worker;

/**
 * Rolls back the transaction of a handler whose job was taken from its pool meanwhile.
 */
final class LeaseLostException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	LeaseLostException(String job) {
		super("The lease of " + job + " was lost while its handler ran: its transaction is rolled back", null, false,
				false);
	}

}
