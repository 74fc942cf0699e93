package io.gator.test;

import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.awaitility.Awaitility.await;

/**
 * One database of the test server and the ways into it. Closing it ends the pools that it
 * gave out, throws everybody else out and drops the database.
 */
public final class DatabaseHandle implements AutoCloseable {

	private final PostgresServer server;

	private final String name;

	private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();

	private @Nullable JdbcClient looks;

	DatabaseHandle(PostgresServer server, String name) {
		this.server = server;
		this.name = name;
	}

	public String name() {
		return this.name;
	}

	public String host() {
		return this.server.host();
	}

	public int port() {
		return this.server.port();
	}

	public String url() {
		return this.server.url(this.name);
	}

	/**
	 * Its URL with options of the driver.
	 * @param options the options, as {@code name=value} with {@code &} in between
	 * @return the URL
	 */
	public String url(String options) {
		return url() + (url().contains("?") ? "&" : "?") + options;
	}

	public String username() {
		return this.server.username();
	}

	public String password() {
		return this.server.password();
	}

	/**
	 * The {@code spring.datasource.*} properties of an application on this database.
	 * @return pairs of {@code name=value}
	 */
	public String[] springProperties() {
		return new String[] { "spring.datasource.url=" + url(), "spring.datasource.username=" + username(),
				"spring.datasource.password=" + password() };
	}

	/**
	 * Throw away the sessions that its pools have, because the server has ended them.
	 */
	void renew() {
		this.pools.forEach((pool) -> pool.getHikariPoolMXBean().softEvictConnections());
	}

	/**
	 * A data source without a pool: a connection is a new session.
	 * @return a new data source
	 */
	public PGSimpleDataSource createDataSource() {
		PGSimpleDataSource dataSource = new PGSimpleDataSource();
		dataSource.setUrl(url());
		dataSource.setUser(username());
		dataSource.setPassword(password());
		return dataSource;
	}

	/**
	 * A data source without a pool whose sessions begin with settings of their own.
	 * @param settings the settings, as {@code name=value}
	 * @return a new data source
	 */
	public PGSimpleDataSource createDataSource(String... settings) {
		PGSimpleDataSource dataSource = createDataSource();
		dataSource.setOptions("-c " + String.join(" -c ", settings));
		return dataSource;
	}

	/**
	 * A pool of ten connections.
	 * @return a new pool, closed with this database
	 */
	public HikariDataSource hikari() {
		return hikari(10);
	}

	/**
	 * A pool of the given size that opens connections only when they are asked for.
	 * @param size how many connections it has at most
	 * @return a new pool, closed with this database
	 */
	public HikariDataSource hikari(int size) {
		return open(config(size));
	}

	private HikariConfig config(int size) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(url());
		config.setUsername(username());
		config.setPassword(password());
		config.setMaximumPoolSize(size);
		config.setMinimumIdle(0);
		config.setPoolName(this.name + "-" + (this.pools.size() + 1));
		return config;
	}

	private HikariDataSource open(HikariConfig config) {
		HikariDataSource pool = new HikariDataSource(config);
		this.pools.add(pool);
		return pool;
	}

	/**
	 * Statements for a look from outside, in sessions that others do not share: tests
	 * look again and again, and a new session costs more than what it is to see.
	 * @return the client
	 */
	public synchronized JdbcClient jdbc() {
		JdbcClient known = this.looks;
		if (known == null) {
			HikariConfig config = config(4);
			// A plan would not outlive a change of its tables.
			config.addDataSourceProperty("prepareThreshold", "0");
			known = JdbcClient.create(open(config));
			this.looks = known;
		}
		return known;
	}

	/**
	 * How many sessions wait for a lock at the moment.
	 * @return the number
	 */
	public int waitingForLocks() {
		return sessions("wait_event_type = 'Lock'");
	}

	/**
	 * How many sessions wait for the end of another one's transaction at the moment.
	 * @return the number
	 */
	public int waitingForTransactions() {
		return sessions("wait_event = 'transactionid'");
	}

	/**
	 * Let a call meet a transaction that has begun before it and is committed when the
	 * call waits for it.
	 * @param <T> the type of the answer
	 * @param statement what the transaction does
	 * @param call what meets it
	 * @return the answer
	 * @throws Exception if either fails
	 */
	public <T> T overtaken(String statement, Supplier<T> call) throws Exception {
		try (Connection other = createDataSource().getConnection()) {
			other.setAutoCommit(false);
			other.createStatement().execute(statement);
			CompletableFuture<T> answer = CompletableFuture.supplyAsync(call);
			await().until(() -> waitingForLocks() > 0);
			other.commit();
			return answer.get(30, TimeUnit.SECONDS);
		}
	}

	private int sessions(String condition) {
		return jdbc().sql("select count(*) from pg_stat_activity where datname = current_database() and " + condition)
			.query(Integer.class)
			.single();
	}

	@Override
	public void close() {
		this.pools.forEach(HikariDataSource::close);
		this.server.administer("drop database if exists " + this.name + " with (force)");
	}

	@Override
	public String toString() {
		return url();
	}

}
