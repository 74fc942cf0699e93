package io.gator.store;

import java.sql.SQLException;

import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/**
 * What a store throws, for tests of those who catch it.
 */
public final class StoreExceptions {

	private StoreExceptions() {
	}

	/**
	 * The database is away, and nothing was sent.
	 * @return the exception
	 */
	public static StoreException passing() {
		return StoreException.of("do it", new SQLException("away", "08001"), false);
	}

	/**
	 * The connection broke before the answer came.
	 * @return the exception
	 */
	public static StoreException answerLost() {
		return StoreException.of("do it", new SQLException("broken", "08006"), true);
	}

	/**
	 * The server is shut down, and said so.
	 * @return the exception
	 */
	public static StoreException shutdown() {
		return StoreException.of("do it", new SQLException("terminating connection", "57P01"), true);
	}

	/**
	 * The statement took too long.
	 * @return the exception
	 */
	public static StoreException timeout() {
		return StoreException.of("do it", new SQLException("statement timeout", "57014"), true);
	}

	/**
	 * The answer did not fit into memory.
	 * @return the exception
	 */
	public static StoreException outOfMemory() {
		return StoreException.of("do it", new PSQLException("Ran out of memory", PSQLState.OUT_OF_MEMORY), true);
	}

	/**
	 * A value was refused.
	 * @return the exception
	 */
	public static StoreException data() {
		return StoreException.of("do it", new SQLException("bad value", "22021"), true);
	}

	/**
	 * A trigger refused a row.
	 * @return the exception
	 */
	public static StoreException trigger() {
		return StoreException.of("do it", new SQLException("not this one", "P0001"), true);
	}

	/**
	 * Something is set up wrongly.
	 * @return the exception
	 */
	public static StoreException configuration() {
		return StoreException.of("do it", new SQLException("no such table", "42P01"), true);
	}

}
