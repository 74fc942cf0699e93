package io.gator.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Opens connections, and tries again four times a second while the server is away. The
 * connection pool in front of it would try less and less often, and notice up to five
 * seconds late that the server is back.
 */
final class PatientDataSource extends AbstractDataSource {

	private static final long PAUSE_MILLIS = 250;

	private static final String TIMEOUT = "socketTimeout";

	/**
	 * How long the server may take for each answer while a connection is opened. Shorter
	 * than for a statement: the URL may name a server that hangs before the one that has
	 * taken over.
	 */
	private static final String OPENING_SECONDS = "5";

	private final Servers servers;

	private final Properties properties = new Properties();

	private final int answerMillis;

	private final CountDownLatch closed = new CountDownLatch(1);

	private volatile @Nullable String trouble;

	private volatile boolean refused;

	PatientDataSource(String url, Properties properties) {
		this.servers = new Servers(url);
		properties.forEach((name, value) -> this.properties.setProperty(name.toString(), value.toString()));
		this.answerMillis = (int) TimeUnit.SECONDS.toMillis(Long.parseLong(this.properties.getProperty(TIMEOUT, "0")));
		this.properties.setProperty(TIMEOUT, OPENING_SECONDS);
	}

	/**
	 * Why there is no connection.
	 * @return the reason, or {@code null} if the last attempt to connect succeeded
	 */
	@Nullable String trouble() {
		return this.trouble;
	}

	/**
	 * Stop waiting for the server. To be called before the connection pool is closed,
	 * because its closing waits for threads that are opening a connection.
	 */
	void close() {
		this.closed.countDown();
	}

	/**
	 * Whether the server is there and does not take this process.
	 * @return whether it has refused the last connection
	 */
	boolean isRefused() {
		return this.refused;
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
				Connection connection = this.servers.connect(all);
				connection.setNetworkTimeout(Runnable::run, this.answerMillis);
				this.trouble = null;
				this.refused = false;
				return connection;
			}
			catch (SQLException ex) {
				this.trouble = SqlErrors.withoutDetail(ex);
				this.refused = !SqlErrors.isAway(ex);
				if (this.refused) {
					throw ex;
				}
				pause(ex);
			}
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
	 * How many seconds the connection pool, when it is closed, waits for a connection
	 * that is just being opened.
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
