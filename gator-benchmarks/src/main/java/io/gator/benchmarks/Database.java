package io.gator.benchmarks;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/**
 * The database that everything is measured on. All tables are in schemas of their own,
 * which are dropped and made anew.
 *
 * @param server the JDBC URL of the database
 * @param schema the schema that connections lead into
 * @param user the user
 * @param password the password
 */
record Database(String server, String schema, String user, String password) {

	private static final String SCHEMA = "gator_bench";

	/**
	 * Marks the benchmark's own statements, which are not counted.
	 */
	static final String PROBE = "bench_probe";

	static Database at(String server, String user, String password) {
		return new Database(server, SCHEMA, user, password);
	}

	/**
	 * The same database with other tables beside these.
	 * @param name what they are for
	 */
	Database beside(String name) {
		return new Database(this.server, SCHEMA + '_' + name, this.user, this.password);
	}

	String url() {
		return this.server + (this.server.contains("?") ? "&" : "?") + "currentSchema=" + this.schema;
	}

	Connection connect() throws SQLException {
		return DriverManager.getConnection(url(), this.user, this.password);
	}

	/**
	 * Hold a snapshot until a connection is closed: what is deleted from now on cannot be
	 * vacuumed.
	 */
	static void holdSnapshot(Connection connection) throws SQLException {
		connection.setAutoCommit(false);
		connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
		number(connection, "select count(*) from gator_queue");
	}

	void createSchema() throws SQLException {
		dropSchema();
		execute("create schema " + this.schema);
	}

	void dropSchema() throws SQLException {
		execute("drop schema if exists " + this.schema + " cascade");
	}

	HikariDataSource pool(int size, String... options) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl((options.length > 0) ? url() + "&" + String.join("&", options) : url());
		config.setUsername(this.user);
		config.setPassword(this.password);
		config.setMaximumPoolSize(size);
		return new HikariDataSource(config);
	}

	Map<String, Object> springProperties() {
		Map<String, Object> properties = new TreeMap<>();
		properties.put("spring.datasource.url", url());
		properties.put("spring.datasource.username", this.user);
		properties.put("spring.datasource.password", this.password);
		properties.put("gator.schema", this.schema);
		return properties;
	}

	void execute(String... statements) throws SQLException {
		try (Connection connection = connect(); Statement statement = connection.createStatement()) {
			for (String sql : statements) {
				statement.execute(sql);
			}
		}
	}

	double number(String sql) throws SQLException {
		try (Connection connection = connect()) {
			return number(connection, sql);
		}
	}

	static double number(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(sql)) {
			row.next();
			return row.getDouble(1);
		}
	}

	String text(String sql) throws SQLException {
		try (Connection connection = connect();
				Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery(sql)) {
			row.next();
			return String.valueOf(row.getString(1));
		}
	}

	/**
	 * Fail unless what is committed is on disk.
	 */
	void requireDurable() throws SQLException {
		for (String setting : new String[] { "fsync", "synchronous_commit", "full_page_writes" }) {
			String value = text("show " + setting);
			if (!"on".equals(value)) {
				throw new IllegalStateException(
						"The setting " + setting + " of the server is '" + value + "', and figures need 'on'");
			}
		}
	}

	boolean countsStatements() throws SQLException {
		return number("select count(*) from pg_extension where extname = 'pg_stat_statements'") > 0;
	}

	/**
	 * How many statements were sent since the counters were last reset, without those of
	 * the benchmark.
	 */
	double statements() throws SQLException {
		return statements("true");
	}

	/**
	 * How many of them are about figures, which one process asks for the whole cluster.
	 */
	double statementsForFigures() throws SQLException {
		return statements("s.query ~ '(gator_insight|pg_stat_user_tables|gator_dead_job)'");
	}

	private double statements(String condition) throws SQLException {
		return number("select coalesce(sum(calls), 0) as " + PROBE + " from public.pg_stat_statements s"
				+ " where s.dbid = (select oid from pg_database where datname = current_database()) and s.toplevel"
				+ " and s.query not like '%" + PROBE + "%' and s.query not like '%pg_stat_statements%'"
				+ " and s.query not ilike 'set %' and s.query not ilike 'show %' and " + condition);
	}

	void resetStatements() throws SQLException {
		execute("select public.pg_stat_statements_reset() as " + PROBE);
	}

	double walPosition() throws SQLException {
		return number("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as " + PROBE);
	}

}
