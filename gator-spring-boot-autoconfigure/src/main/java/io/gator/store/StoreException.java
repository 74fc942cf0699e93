package io.gator.store;

import java.sql.SQLException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * The database refused a statement or could not be reached. The message never carries
 * PostgreSQL's {@code Detail:}, which quotes values.
 */
public class StoreException extends DataAccessException {

	private static final long serialVersionUID = 1L;

	private static final String QUERY_CANCELED = "57014";

	private static final String DUPLICATE_KEY = "23505";

	private static final String TOO_MANY_CONNECTIONS = "53300";

	/** Out of memory, and a message or a value that is larger than the server allows. */
	private static final Set<String> TOO_MUCH = Set.of("53200", "54000");

	/** A deadlock, and a lock that could not be had in time. */
	private static final Set<String> IN_THE_WAY = Set.of("40P01", "55P03");

	private final Kind kind;

	private final boolean outcomeUnknown;

	StoreException(String message, Kind kind, boolean outcomeUnknown, @Nullable Throwable cause) {
		super(message, cause);
		this.kind = kind;
		this.outcomeUnknown = outcomeUnknown;
	}

	/**
	 * Translate an exception of the driver for work that is known not to be done.
	 * @param what what was being done
	 * @param ex the exception
	 * @return the exception
	 */
	static StoreException of(String what, SQLException ex) {
		return of(what, ex, false);
	}

	/**
	 * Translate an exception of the driver.
	 * @param what what was being done
	 * @param ex the exception
	 * @param sent whether the statement may have reached the server
	 * @return the exception
	 */
	static StoreException of(String what, SQLException ex, boolean sent) {
		String state = ex.getSQLState();
		String reason = SqlErrors.withoutDetail(ex);
		return new StoreException("Cannot " + what + ": " + reason, SqlErrors.kind(state),
				sent && SqlErrors.isOutcomeUnknown(ex), new SQLException(reason, state, ex.getErrorCode()));
	}

	/**
	 * The exception for work that was given up here because it took too long.
	 * @param what what was being done
	 * @param reason how long it took
	 * @return the exception, as if the server had broken it off
	 */
	static StoreException tooLong(String what, String reason) {
		return of(what, new SQLException(reason, QUERY_CANCELED));
	}

	/**
	 * The exception for work that was not begun because all connections for it are in
	 * use.
	 * @param what what was to be done
	 * @param reason how long it waited for one
	 * @return the exception, as if the server had refused another connection
	 */
	static StoreException busy(String what, String reason) {
		return of(what, new SQLException(reason, TOO_MANY_CONNECTIONS));
	}

	/**
	 * What kind of error it is.
	 * @return the kind
	 */
	public Kind kind() {
		return this.kind;
	}

	/**
	 * Whether the server ended the session and said so: it is shut down, or somebody
	 * there wanted the session to end.
	 * @return whether it is the server's doing
	 */
	public boolean isServerShutdown() {
		return getCause() instanceof SQLException ex && SqlErrors.isServerShutdown(ex);
	}

	/**
	 * Whether the server broke the statement off because it took too long.
	 * @return whether it did
	 */
	public boolean isTimeout() {
		return state().equals(QUERY_CANCELED);
	}

	/**
	 * Whether the server may refuse only a single row, for its values or by a trigger,
	 * and would write the others.
	 * @return whether it is worth trying the rows apart
	 */
	public boolean mayConcernOneRow() {
		return this.kind == Kind.DATA || SqlErrors.mayConcernOneRow(state());
	}

	/**
	 * Whether the statement may have asked for too much: it took too long, or there was
	 * no memory for the statement or its answer, here or at the server.
	 * @return whether less may be possible
	 */
	public boolean mayBeTooMuch() {
		return isTimeout() || TOO_MUCH.contains(state());
	}

	/**
	 * Whether another transaction may have been in the way, by a row, a key or a table
	 * that it held.
	 * @return whether one may have been
	 */
	boolean isConflict() {
		return isTimeout() || isDuplicateKey() || IN_THE_WAY.contains(state());
	}

	/**
	 * Whether another transaction has just committed a row with a key that the statement
	 * was to write.
	 */
	boolean isDuplicateKey() {
		return state().equals(DUPLICATE_KEY);
	}

	/** The SQL state; empty if the cause is no exception of the database. */
	private String state() {
		return (getCause() instanceof SQLException ex) ? String.valueOf(ex.getSQLState()) : "";
	}

	/**
	 * Whether the statement may have been carried out all the same: its answer was lost.
	 * @return whether nobody knows
	 */
	public boolean isOutcomeUnknown() {
		return this.outcomeUnknown;
	}

	/**
	 * Kinds of errors, by what to do about them.
	 */
	public enum Kind {

		/** Passing: wait and try again, for ever. */
		PASSING,

		/**
		 * Something is set up wrongly: trying again helps only when somebody has mended
		 * it.
		 */
		CONFIGURATION,

		/** A value that the database refuses: trying again changes nothing. */
		DATA

	}

}
