package io.gator.test;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;

import javax.sql.DataSource;

import org.postgresql.core.BaseConnection;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Connections that tell another process id than that of the server, as those through a
 * pooler do.
 */
public final class BehindPooler extends DelegatingDataSource {

	public BehindPooler(DataSource target) {
		super(target);
	}

	@Override
	public Connection getConnection() throws SQLException {
		Connection target = super.getConnection();
		BaseConnection postgres = target.unwrap(BaseConnection.class);
		BaseConnection other = proxy(BaseConnection.class, postgres, "getBackendPID", -1);
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

	/**
	 * A bean that puts a pooler between an application and its database.
	 */
	public static final class Everywhere implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			return (bean instanceof DataSource source) ? new BehindPooler(source) : bean;
		}

	}

}
