package io.gator.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Opens connections, and tries again four times a second while the server is away. The
 * pool in front of it would do that ever more seldom, and notice up to five seconds late
 * that the server is back.
 */
final class PatientDataSource extends AbstractDataSource {

	private static final long PAUSE_MILLIS = 250;

	private static final String TIMEOUT = "socketTimeout";

	private final String url;

	private final Properties properties = new Properties();

	private final CountDownLatch closed = new CountDownLatch(1);

	private volatile @Nullable String trouble;

	PatientDataSource(String url, Properties properties) {
		this.url = url;
		properties.forEach((name, value) -> this.properties.setProperty(name.toString(), value.toString()));
	}

	/**
	 * Why there is no connection.
	 * @return the reason, or {@code null} if the last one could be had
	 */
	@Nullable String trouble() {
		return this.trouble;
	}

	/**
	 * Wait for the server no longer. To be called before the pool is closed, which waits
	 * for whoever opens a connection.
	 */
	void close() {
		this.closed.countDown();
	}

	@Override
	public Connection getConnection() throws SQLException {
		return connect(this.properties);
	}

	@Override
	public Connection getConnection(String username, @Nullable String password) throws SQLException {
		Properties all = new Properties();
		all.putAll(this.properties);
		all.setProperty("user", username);
		if (password != null) {
			all.setProperty("password", password);
		}
		return connect(all);
	}

	private Connection connect(Properties all) throws SQLException {
		while (true) {
			try {
				Connection connection = DriverManager.getConnection(this.url, all);
				setTimeout(connection);
				this.trouble = null;
				return connection;
			}
			catch (SQLException ex) {
				this.trouble = SqlErrors.withoutDetail(ex);
				if (!SqlErrors.isAway(ex)) {
					throw ex;
				}
				pause(ex);
			}
		}
	}

	/**
	 * The driver takes what an URL says before its properties. The application's time-out
	 * may be shorter than the server's for a statement, and a statement that waits for
	 * one locked row would then look like a lost connection, again and again.
	 */
	private void setTimeout(Connection connection) throws SQLException {
		String seconds = this.properties.getProperty(TIMEOUT);
		if (seconds != null && this.url.contains(TIMEOUT + "=")) {
			connection.setNetworkTimeout(Runnable::run, (int) TimeUnit.SECONDS.toMillis(Long.parseLong(seconds)));
		}
	}

	private void pause(SQLException reason) throws SQLException {
		try {
			if (!this.closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
				return;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		throw reason;
	}

	/**
	 * The pool waits for so many seconds, when it is closed, for a connection that is
	 * just being opened.
	 */
	@Override
	public int getLoginTimeout() {
		return 2;
	}

	@Override
	public void setLoginTimeout(int timeout) {
		// The driver has a time-out of its own.
	}

}
