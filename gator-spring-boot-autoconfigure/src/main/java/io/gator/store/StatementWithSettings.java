package io.gator.store;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/**
 * A statement behind a query that makes settings, sent together with it in one round
 * trip; a transaction around both would take three. Two answers come, and whoever runs
 * the statement sees only its own.
 */
final class StatementWithSettings implements InvocationHandler {

	private final PreparedStatement both;

	private StatementWithSettings(PreparedStatement both) {
		this.both = both;
	}

	/**
	 * Prepare a statement.
	 * @param connection a connection that commits by itself: both are one transaction
	 * @param settings a query that sets something until the end of that transaction
	 * @param sql the statement
	 * @return the statement
	 * @throws SQLException if the connection refuses
	 */
	static PreparedStatement prepare(Connection connection, String settings, String sql) throws SQLException {
		PreparedStatement both = connection.prepareStatement(settings + "; " + sql);
		return (PreparedStatement) Proxy.newProxyInstance(StatementWithSettings.class.getClassLoader(),
				new Class<?>[] { PreparedStatement.class }, new StatementWithSettings(both));
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
		return switch (method.getName()) {
			case "execute" -> execute();
			case "executeQuery" -> {
				execute();
				yield this.both.getResultSet();
			}
			case "executeUpdate" -> {
				execute();
				yield this.both.getUpdateCount();
			}
			default -> invoke(method, args);
		};
	}

	private boolean execute() throws SQLException {
		this.both.execute();
		return this.both.getMoreResults();
	}

	private @Nullable Object invoke(Method method, @Nullable Object @Nullable [] args) throws Throwable {
		try {
			return method.invoke(this.both, args);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
