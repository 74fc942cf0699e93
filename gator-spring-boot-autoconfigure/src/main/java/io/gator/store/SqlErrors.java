package io.gator.store;

import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Reads SQL states.
 */
public final class SqlErrors {

	private SqlErrors() {
	}

	static StoreException.Kind kind(@Nullable String state) {
		if (state == null || state.length() < 2) {
			return StoreException.Kind.PASSING;
		}
		return switch (state.substring(0, 2)) {
			case "22", "23", "54" -> StoreException.Kind.DATA;
			case "3D", "28" -> StoreException.Kind.CONFIGURATION;
			// Among them a missing table (42P01) and a missing privilege (42501). A
			// syntax error would be a bug, and is as lasting.
			case "42", "3F" -> StoreException.Kind.CONFIGURATION;
			default -> StoreException.Kind.PASSING;
		};
	}

	/**
	 * Whether a trigger or a function in the database has failed, or a row is damaged.
	 * @param state the SQL state
	 * @return whether it may be so for one row and not for another
	 */
	static boolean mayConcernOneRow(@Nullable String state) {
		return state != null && state.length() == 5
				&& Set.of("P0", "XX", "27", "2F", "38", "39").contains(state.substring(0, 2));
	}

	/**
	 * Whether nobody knows if a statement was carried out, because its answer was lost:
	 * with the connection, or by the driver, which may not have had the memory for it. If
	 * the connection pool had no connection to give, nothing was sent.
	 * @param ex the exception
	 * @return whether nobody knows
	 */
	public static boolean isOutcomeUnknown(SQLException ex) {
		if (ex instanceof SQLTransientConnectionException) {
			return false;
		}
		return isConnectionFailure(ex) || isAnswerLostByDriver(ex);
	}

	/**
	 * If the server refuses a statement, the exception has a message of the server. Of
	 * the exceptions that the driver makes itself, two kinds say that nothing was carried
	 * out: of a value that it cannot send (22), and of a commit that the server has
	 * answered with a rollback (25P02). All others may come after the statement was
	 * carried out.
	 */
	private static boolean isAnswerLostByDriver(SQLException ex) {
		return cause(ex, PSQLException.class).map(
				(psql) -> psql.getServerErrorMessage() == null && !beginsWith("22", psql) && !beginsWith("25P02", psql))
			.orElse(false);
	}

	private static boolean isConnectionFailure(SQLException ex) {
		return isAway(ex) || cause(ex, IOException.class).isPresent();
	}

	/**
	 * Find an exception of a type among an exception and its causes.
	 * @param <T> the type
	 * @param failure the exception
	 * @param type the type
	 * @return the first that is of the type
	 */
	public static <T extends Throwable> Optional<T> cause(Throwable failure, Class<T> type) {
		return causes(failure).filter(type::isInstance).map(type::cast).findFirst();
	}

	/**
	 * An exception and its causes, which may go round in a circle, or throw when asked
	 * for theirs.
	 * @param failure the exception
	 * @return the exception first, and a hundred at most
	 */
	static Stream<Throwable> causes(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, ErrorText::cause).limit(100);
	}

	/**
	 * Whether the server said, or the driver found, that there is no connection.
	 * @param ex the exception
	 * @return whether it is that
	 */
	static boolean isAway(SQLException ex) {
		return beginsWith("08", ex) || isServerShutdown(ex);
	}

	/**
	 * Whether the server ended the session, or takes none for now.
	 * @param ex the exception
	 * @return whether it is that
	 */
	static boolean isServerShutdown(SQLException ex) {
		return beginsWith("57P", ex);
	}

	private static boolean beginsWith(String beginning, SQLException ex) {
		String state = ex.getSQLState();
		return state != null && state.startsWith(beginning);
	}

	/**
	 * Whether the session may only read: the server is no primary, or was told so.
	 * @param ex the exception
	 * @return whether it is that
	 */
	static boolean isReadOnly(SQLException ex) {
		return "25006".equals(ex.getSQLState());
	}

	/**
	 * Whether a lock could not be had in time.
	 * @param ex the exception
	 * @return whether it is that
	 */
	static boolean isLocked(SQLException ex) {
		return "55P03".equals(ex.getSQLState());
	}

	/**
	 * Whether the role lacks a privilege.
	 * @param ex the exception
	 * @return whether it is that
	 */
	static boolean isDenied(SQLException ex) {
		return "42501".equals(ex.getSQLState());
	}

	/**
	 * The message without its detail, hint and context, which quote values.
	 * @param ex the exception
	 * @return a message to log and to keep
	 */
	public static String withoutDetail(SQLException ex) {
		if (ex instanceof PSQLException psql) {
			ServerErrorMessage server = psql.getServerErrorMessage();
			if (server != null) {
				return server.getSeverity() + ": " + server.getMessage() + " [" + server.getSQLState() + "]";
			}
		}
		String message = String.valueOf(ex.getMessage());
		int detail = message.indexOf("\n");
		return ((detail >= 0) ? message.substring(0, detail) : message) + " [" + ex.getSQLState() + "]";
	}

}
