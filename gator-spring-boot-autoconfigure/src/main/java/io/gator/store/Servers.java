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
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The servers that an URL names, which are asked one by one. The driver has one time-out
 * to connect to all of them: a server that hangs uses it up, and for the next one a
 * millisecond is left. Thread-safe.
 */
final class Servers {

	/** How long a server that has failed is asked after the others. */
	private static final long LAST_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** An URL that names several servers. */
	private static final Pattern SEVERAL = Pattern.compile("(jdbc:postgresql://)([^/?]*,[^/?]*)(.*)");

	/** One for each server. */
	private final List<String> urls;

	/** When servers failed last, in monotonic time, by their URLs. */
	private final Map<String, Long> failures = new ConcurrentHashMap<>();

	Servers(String url) {
		Matcher several = SEVERAL.matcher(url);
		this.urls = several.matches() ? Arrays.stream(several.group(2).split(","))
			.map((server) -> several.group(1) + server + several.group(3))
			.toList() : List.of(url);
	}

	/**
	 * Connect to the first one that takes the connection.
	 * @param properties those of the connection
	 * @return the connection
	 * @throws SQLException that of the last server asked, if none does
	 */
	Connection connect(Properties properties) throws SQLException {
		SQLException last = null;
		for (String url : inOrder()) {
			try {
				Connection connection = DriverManager.getConnection(url, properties);
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

}
