package io.gator.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.postgresql.PGConnection;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Tells another process id than that of the server, as a pooler does.
 */
final class BehindPooler extends DelegatingDataSource {

	BehindPooler(DataSource target) {
		super(target);
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection target = super.getConnection();
		PGConnection postgres = target.unwrap(PGConnection.class);
		PGConnection other = proxy(PGConnection.class, postgres, "getBackendPID", -1);
		return proxy(Connection.class, target, "unwrap", other);
	}

	private static <T> T proxy(Class<T> type, T target, String name, Object answer) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> {
				if (method.getName().equals(name)) {
					return answer;
				}
				try {
					return method.invoke(target, args);
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

}
