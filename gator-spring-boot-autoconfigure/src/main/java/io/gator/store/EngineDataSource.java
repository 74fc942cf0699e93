package io.gator.store;

import java.io.Closeable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * The small pool of connections for the engine's own statements, derived from the
 * application's data source: the same database and user, whatever that is configured
 * with, but connections that handlers cannot take, and settings that claims and
 * settlements can rely on.
 */
public final class EngineDataSource extends DelegatingDataSource implements Closeable {

	private static final Logger logger = LoggerFactory.getLogger(EngineDataSource.class);

	private final HikariDataSource pool;

	/** What goes with each statement, if sessions mean nothing. */
	private final @Nullable String settings;

	private EngineDataSource(HikariDataSource pool, @Nullable String settings) {
		super(pool);
		this.pool = pool;
		this.settings = settings;
	}

	/**
	 * Derive the engine's connections. The database is asked whether it is behind a
	 * pooler, but not in a training run, which ends before the first statement.
	 * @param application the application's data source
	 * @param connections how many connections at most
	 * @param timeout how long one statement may take
	 * @return the data source
	 * @throws UnsuitableDatabaseException if nothing can be derived from that data source
	 * @throws StoreException if the database cannot be asked
	 */
	public static EngineDataSource derive(DataSource application, int connections, Duration timeout) {
		return derive(application, connections, timeout, !TrainingRun.isOn() && hasPooler(application));
	}

	static EngineDataSource derive(DataSource application, int connections, Duration timeout, boolean behindPooler) {
		HikariConfig config = EngineConfig.copyOf(application);
		EngineConfig.adapt(config, connections, timeout, behindPooler);
		return new EngineDataSource(new HikariDataSource(config),
				behindPooler ? EngineSettings.ofTransaction(timeout) : null);
	}

	static boolean hasPooler(DataSource application) {
		try (Connection connection = application.getConnection()) {
			return hasPooler(connection);
		}
		catch (SQLException ex) {
			// What is taken for true here holds as long as the process lives. Through a
			// pooler the engine's settings would reach the application's statements.
			throw StoreException.of("look for a connection pooler", ex);
		}
	}

	/**
	 * A pooler such as PgBouncer answers the start-up with a process id of its own. It is
	 * not seen where the driver cannot be asked for that id.
	 */
	static boolean hasPooler(Connection connection) throws SQLException {
		// Asked for first: a connection may be made only now.
		int pid = pid(connection);
		try {
			return pid != connection.unwrap(PGConnection.class).getBackendPID();
		}
		catch (SQLException ex) {
			logger.debug("Cannot tell whether there is a connection pooler: {}", SqlErrors.withoutDetail(ex));
			return false;
		}
	}

	private static int pid(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
			row.next();
			return row.getInt(1);
		}
	}

	/**
	 * Whether there is a connection pooler between here and the server, so that sessions
	 * mean nothing.
	 * @return whether there is
	 */
	public boolean isBehindPooler() {
		return this.settings != null;
	}

	/**
	 * Prepare a statement that is a transaction of its own, together with what it needs
	 * to be set where the session does not.
	 * @param connection one of these connections
	 * @param sql the statement
	 * @return the statement
	 * @throws SQLException if the connection refuses
	 */
	PreparedStatement prepare(Connection connection, String sql) throws SQLException {
		return (this.settings != null) ? StatementWithSettings.prepare(connection, this.settings + "; " + sql)
				: connection.prepareStatement(sql);
	}

	/**
	 * Whether the server is there and does not take this process. Asks nobody.
	 * @return whether it has refused the last connection, as far as that can be seen
	 */
	boolean isRefused() {
		return this.pool.getDataSource() instanceof PatientDataSource patient && patient.isRefused();
	}

	/**
	 * How many connections the engine takes at most.
	 * @return the number
	 */
	public int connections() {
		return this.pool.getMaximumPoolSize();
	}

	@Override
	public Connection getConnection() throws SQLException {
		try {
			Connection connection = super.getConnection();
			if (isBehindPooler()) {
				// The next transaction may go to another session, which knows nothing of
				// a statement prepared on this one.
				connection.unwrap(PGConnection.class).setPrepareThreshold(0);
			}
			return connection;
		}
		catch (SQLTransientConnectionException ex) {
			if (this.pool.getDataSource() instanceof PatientDataSource patient && patient.trouble() != null) {
				throw new SQLTransientConnectionException(patient.trouble(), ex.getSQLState(), ex);
			}
			throw ex;
		}
	}

	/**
	 * Throw away the sessions that there are, those in use when they come back.
	 */
	void renew() {
		HikariPoolMXBean sessions = this.pool.getHikariPoolMXBean();
		if (sessions != null) {
			sessions.softEvictConnections();
		}
	}

	@Override
	public void close() {
		if (this.pool.getDataSource() instanceof PatientDataSource patient) {
			patient.close();
		}
		this.pool.close();
	}

}
