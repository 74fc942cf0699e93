package io.gator.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Lets Flyway change the search path for a transaction at most, and not for a session:
 * behind a pooler it would change the path of one session and restore that of another,
 * and the application would find its tables no more, or make them in Gator's schema.
 * Gator's scripts name their schema and need no path.
 */
final class ShortSearchPath extends DelegatingDataSource {

	private static final String OF_SESSION = "SELECT set_config('search_path', ?, false)";

	private static final String OF_TRANSACTION = "SELECT set_config('search_path', ?, true)";

	ShortSearchPath(DataSource target) {
		super(target);
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection target = super.getConnection();
		return (Connection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { Connection.class },
				(proxy, method, args) -> {
					if (args != null && args.length > 0 && OF_SESSION.equals(args[0])) {
						args[0] = OF_TRANSACTION;
					}
					try {
						return method.invoke(target, args);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

}
