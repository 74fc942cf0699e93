package io.gator.store;

import java.io.Closeable;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.util.PropertyElf;
import com.zaxxer.hikari.util.UtilityElf;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.ds.common.BaseDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * The small pool of connections for the engine's own statements, derived from the
 * application's data source: the same database and user, whatever that is configured
 * with, but connections that handlers cannot take, and settings that claims and
 * settlements can rely on.
 */
public final class EngineDataSource extends DelegatingDataSource implements Closeable {

	/**
	 * All statements go by an index or by place, and take its order. Without these
	 * settings:
	 * <ul>
	 * <li>{@code enable_seqscan}, {@code enable_hashjoin}, {@code enable_mergejoin}: a
	 * plan made while the table was all but empty would read the whole of it for ever,
	 * because prepared statements are not planned again when it grows.</li>
	 * <li>{@code enable_sort}: as long as nothing is known of the table, sorting all jobs
	 * of a queue seems as cheap as reading the first ones in order.</li>
	 * <li>{@code jit}: where a statement has to sort all the same, servers before 18 take
	 * it for so expensive that they would compile it each time.</li>
	 * <li>{@code plan_cache_mode}: with millions of jobs waiting the server would plan
	 * each claim again, hoping for a better plan from its values, which takes half as
	 * long as a small claim itself.</li>
	 * </ul>
	 */
	static final String PLANS = "set enable_seqscan = off; set enable_hashjoin = off; "
			+ "set enable_mergejoin = off; set enable_sort = off; set jit = off; "
			+ "set plan_cache_mode = force_generic_plan";

	private static final Logger logger = LoggerFactory.getLogger(EngineDataSource.class);

	private final HikariDataSource pool;

	private final boolean pooled;

	private EngineDataSource(HikariDataSource pool, boolean pooled) {
		super(pool);
		this.pool = pool;
		this.pooled = pooled;
	}

	/**
	 * Derive the engine's connections.
	 * @param application the application's data source
	 * @param connections how many connections at most
	 * @param timeout how long one statement may take
	 * @return the data source
	 * @throws UnsuitableDatabaseException if nothing can be derived from that data source
	 */
	public static EngineDataSource derive(DataSource application, int connections, Duration timeout) {
		HikariConfig config = copy(application);
		boolean pooled = isBehindPooler(application);
		setPool(config, connections);
		if (!pooled) {
			setSessions(config, timeout);
		}
		if (config.getDataSource() == null) {
			setDriver(config, driverProperties(config, timeout, pooled));
		}
		return new EngineDataSource(new HikariDataSource(config), pooled);
	}

	private static void setPool(HikariConfig config, int connections) {
		config.setPoolName("gator");
		config.setMaximumPoolSize(connections);
		config.setMinimumIdle(1);
		config.setAutoCommit(true);
		config.setReadOnly(false);
		config.setIsolateInternalQueries(false);
		config.setRegisterMbeans(false);
		config.setLeakDetectionThreshold(0);
		config.setConnectionTimeout(5_000);
		config.setValidationTimeout(2_000);
		// The database may be away when this starts; the threads that use it wait.
		config.setInitializationFailTimeout(-1);
	}

	/**
	 * Not on the configuration, whose properties are the same object as the
	 * application's.
	 */
	private static Properties driverProperties(HikariConfig config, Duration timeout, boolean pooled) {
		Properties properties = new Properties();
		properties.putAll(config.getDataSourceProperties());
		properties.setProperty("ApplicationName", "gator");
		properties.setProperty("tcpKeepAlive", "true");
		properties.setProperty("connectTimeout", "3");
		if (!hasSocketFactory(config)) {
			properties.setProperty("socketFactory", PromptSocketFactory.class.getName());
		}
		// An answer that never comes: the query's own time-out cannot be delivered
		// either.
		properties.setProperty("socketTimeout", Long.toString(timeout.plusSeconds(5).toSeconds()));
		if (pooled) {
			// The next transaction may go to another session, which knows nothing of a
			// statement prepared on this one.
			properties.setProperty("prepareThreshold", "0");
		}
		return properties;
	}

	private static void setDriver(HikariConfig config, Properties properties) {
		String type = config.getDataSourceClassName();
		if (type == null) {
			// Else the pool looks it up in JNDI by itself.
			if (config.getJdbcUrl() != null) {
				config.setDataSource(new PatientDataSource(config.getJdbcUrl(), properties));
			}
			return;
		}
		// As the pool would do it.
		DataSource source = UtilityElf.createInstance(type, DataSource.class);
		// One that is not the driver's may lack the driver's properties.
		PropertyElf.setTargetFromProperties(source,
				(source instanceof BaseDataSource) ? properties : config.getDataSourceProperties());
		config.setDataSourceClassName(null);
		config.setDataSource(source);
	}

	/** Not through a pooler: it stays on a session which the application uses next. */
	private static void setSessions(HikariConfig config, Duration timeout) {
		config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
		// What a role or a database sets for its sessions is meant for the application.
		// Some of these are not known to all versions.
		String settings = "set statement_timeout = " + timeout.toMillis() + "; set lock_timeout = 0; "
				+ "set idle_in_transaction_session_timeout = " + timeout.toMillis()
				+ "; select pg_catalog.set_config(name, '0', false) from pg_catalog.pg_settings"
				+ " where name in ('idle_session_timeout', 'transaction_timeout')" + "; " + PLANS;
		String own = config.getConnectionInitSql();
		// On a line of its own: the application's may end in a comment.
		config.setConnectionInitSql((own != null && !own.isBlank()) ? own + "\n; " + settings : settings);
	}

	private static HikariConfig copy(DataSource application) {
		requireOneDatabase(application);
		HikariDataSource hikari = DataSourceUnwrapper.unwrap(application, HikariConfigMXBean.class,
				HikariDataSource.class);
		HikariConfig config = new HikariConfig();
		if (hikari != null) {
			hikari.copyStateTo(config);
			if (config.getCredentialsProvider() == null) {
				// Asked for each connection: somebody may rotate them.
				config.setCredentialsProvider(hikari::getCredentials);
			}
			// The copy would use the same objects for its meters and checks. Of the first
			// two there is one, and the other must not be touched before it is gone.
			if (config.getMetricRegistry() != null) {
				config.setMetricRegistry(null);
			}
			config.setMetricsTrackerFactory(null);
			config.setHealthCheckRegistry(null);
			return config;
		}
		try (HikariDataSource derived = DataSourceBuilder.derivedFrom(application)
			.type(HikariDataSource.class)
			.build()) {
			derived.copyStateTo(config);
			if (TransactionResources.unwrap(application) instanceof AbstractDriverBasedDataSource plain
					&& plain.getConnectionProperties() != null) {
				// Among them may be how the server is to prove itself.
				plain.getConnectionProperties()
					.forEach((name, value) -> config.addDataSourceProperty(name.toString(), value));
			}
			return config;
		}
		catch (RuntimeException ex) {
			throw unsuitable(application, String.valueOf(ex.getMessage()), ex);
		}
	}

	/**
	 * One that routes unwraps to whatever it leads to at the moment: the engine would
	 * serve that database, and dispatches go to others as well.
	 */
	private static void requireOneDatabase(DataSource application) {
		DataSource target = TransactionResources.unwrap(application);
		if (target instanceof AbstractRoutingDataSource) {
			throw unsuitable(target, "it may lead to several databases", null);
		}
	}

	private static UnsuitableDatabaseException unsuitable(DataSource source, String why, @Nullable Throwable cause) {
		return new UnsuitableDatabaseException(
				"No connections for Gator's engine can be derived from the data source " + source.getClass().getName()
						+ ": " + why,
				"Make a data source @Primary that leads to one database, such as a HikariDataSource, and let the"
						+ " transactions that dispatch jobs run on it; or set gator.enabled=false.",
				cause);
	}

	private static boolean hasSocketFactory(HikariConfig config) {
		String url = config.getJdbcUrl();
		return config.getDataSourceProperties().containsKey("socketFactory")
				|| (url != null && url.contains("socketFactory="));
	}

	private static boolean isBehindPooler(DataSource application) {
		try (Connection connection = application.getConnection()) {
			return isBehindPooler(connection);
		}
		catch (SQLException ex) {
			logger.debug("Cannot tell whether there is a connection pooler: {}", SqlErrors.withoutDetail(ex));
			return false;
		}
	}

	/**
	 * A pooler such as PgBouncer answers the start-up with a process id of its own.
	 */
	static boolean isBehindPooler(Connection connection) throws SQLException {
		try (Statement statement = connection.createStatement();
				ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
			row.next();
			return row.getInt(1) != connection.unwrap(PGConnection.class).getBackendPID();
		}
	}

	/**
	 * Whether there is a connection pooler between here and the server, so that sessions
	 * mean nothing.
	 * @return whether there is
	 */
	public boolean isPooled() {
		return this.pooled;
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
			return super.getConnection();
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
