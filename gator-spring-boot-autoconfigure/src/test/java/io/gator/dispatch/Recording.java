package io.gator.dispatch;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A data source that notes what goes to the database, and can lose answers: the call is
 * made, and the connection is gone before it returns.
 */
final class Recording extends DelegatingDataSource {

	private static final Set<String> NOTED = Set.of("commit", "rollback", "setAutoCommit", "setSavepoint",
			"releaseSavepoint", "executeQuery", "executeUpdate", "execute");

	final List<String> calls = new CopyOnWriteArrayList<>();

	private final Map<String, SQLException> failures = new ConcurrentHashMap<>();

	private final Map<String, Error> errors = new ConcurrentHashMap<>();

	Recording(DataSource target) {
		super(target);
	}

	/**
	 * Lose the answer to a call.
	 */
	void loseAnswerTo(String method) {
		failAfter(method, new SQLException("An I/O error occurred while sending to the backend.", "08006"));
	}

	void failAfter(String method, SQLException failure) {
		this.failures.put(method, failure);
	}

	/**
	 * Fail before a call is made.
	 */
	void failInsteadOf(String method, Error error) {
		this.errors.put(method, error);
	}

	void forget() {
		this.calls.clear();
	}

	@Override
	public Connection getConnection() throws SQLException {
		return wrap(Connection.class, super.getConnection());
	}

	private <T> T wrap(Class<T> type, T target) {
		InvocationHandler handler = (proxy, method, args) -> {
			Error error = this.errors.remove(method.getName());
			if (error != null) {
				throw error;
			}
			Object result = call(target, method, args);
			if (NOTED.contains(method.getName())) {
				this.calls.add(method.getName());
			}
			SQLException failure = this.failures.remove(method.getName());
			if (failure != null) {
				throw failure;
			}
			// What is unwrapped is asked for as the driver's own.
			boolean own = method.getName().equals("unwrap");
			return (!own && result instanceof PreparedStatement statement) ? wrap(PreparedStatement.class, statement)
					: result;
		};
		return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { type }, handler));
	}

	private static Object call(Object target, Method method, Object[] args) throws Throwable {
		try {
			return method.invoke(target, args);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

}
