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
 * trip; a transaction around both would take three. Several answers come, and whoever
 * runs the statement sees only its own.
 */
final class StatementWithSettings implements InvocationHandler {

	private final PreparedStatement all;

	private StatementWithSettings(PreparedStatement all) {
		this.all = all;
	}

	/**
	 * Prepare a statement.
	 * @param connection where to
	 * @param all a query that makes settings, the statement, and what else goes with it,
	 * with semicolons in between
	 * @return the statement
	 * @throws SQLException if the connection refuses
	 */
	static PreparedStatement prepare(Connection connection, String all) throws SQLException {
		return (PreparedStatement) Proxy.newProxyInstance(StatementWithSettings.class.getClassLoader(),
				new Class<?>[] { PreparedStatement.class },
				new StatementWithSettings(connection.prepareStatement(all)));
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
		return switch (method.getName()) {
			case "execute" -> execute();
			case "executeQuery" -> {
				execute();
				yield this.all.getResultSet();
			}
			case "executeUpdate" -> {
				execute();
				yield this.all.getUpdateCount();
			}
			default -> invoke(method, args);
		};
	}

	private boolean execute() throws SQLException {
		this.all.execute();
		return this.all.getMoreResults();
	}

	private @Nullable Object invoke(Method method, @Nullable Object @Nullable [] args) throws Throwable {
		try {
			return method.invoke(this.all, args);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

}
