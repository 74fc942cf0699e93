package io.gator.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.AbstractDataSource;

/**
 * Opens connections, and tries again four times a second while the server is away. The
 * connection pool in front of it would try less and less often, and notice up to five
 * seconds late that the server is back.
 * <p>
 * Where the URL names several servers they are asked one by one. The driver has one
 * time-out to connect to all of them: a server that hangs uses it up, and for the next
 * one a millisecond is left.
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

	/** How long a server that has failed is asked after the others. */
	private static final long LAST_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** The part of an URL that names several servers. */
	private static final Pattern SERVERS = Pattern.compile("(jdbc:postgresql://)([^/?]*,[^/?]*)(.*)");

	/** One for each server. */
	private final List<String> urls;

	/** When servers failed last, in monotonic time, by their URLs. */
	private final Map<String, Long> failures = new ConcurrentHashMap<>();

	private final Properties properties = new Properties();

	private final int answerMillis;

	private final CountDownLatch closed = new CountDownLatch(1);

	private volatile @Nullable String trouble;

	private volatile boolean refused;

	PatientDataSource(String url, Properties properties) {
		this.urls = oneByOne(url);
		properties.forEach((name, value) -> this.properties.setProperty(name.toString(), value.toString()));
		this.answerMillis = (int) TimeUnit.SECONDS.toMillis(Long.parseLong(this.properties.getProperty(TIMEOUT, "0")));
		this.properties.setProperty(TIMEOUT, OPENING_SECONDS);
	}

	private static List<String> oneByOne(String url) {
		Matcher matcher = SERVERS.matcher(url);
		if (!matcher.matches()) {
			return List.of(url);
		}
		return Arrays.stream(matcher.group(2).split(","))
			.map((server) -> matcher.group(1) + server + matcher.group(3))
			.toList();
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
				Connection connection = connectToAny(all);
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

	private Connection connectToAny(Properties all) throws SQLException {
		SQLException last = null;
		for (String url : inOrder()) {
			try {
				Connection connection = DriverManager.getConnection(url, all);
				this.failures.remove(url);
				return connection;
			}
			catch (SQLException ex) {
				this.failures.put(url, System.nanoTime());
				last = ex;
			}
		}
		throw Objects.requireNonNull(last);
	}

	/** As in the URL, but those that failed lately come last. */
	private List<String> inOrder() {
		long now = System.nanoTime();
		return this.urls.stream().sorted(Comparator.comparing((url) -> {
			Long failed = this.failures.get(url);
			return failed != null && now - failed < LAST_NANOS;
		})).toList();
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
