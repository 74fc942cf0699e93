package io.gator.store;

import java.time.Duration;
import java.util.List;
import java.util.Properties;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import com.zaxxer.hikari.util.PropertyElf;
import com.zaxxer.hikari.util.UtilityElf;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.ds.common.BaseDataSource;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.datasource.AbstractDriverBasedDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Derives the configuration of the engine's connections from the application's data
 * source.
 */
final class EngineConfig {

	/** Which of several servers the driver is to take. */
	private static final String TARGET = "targetServerType";

	private EngineConfig() {
	}

	/**
	 * Copy the configuration of an application's data source.
	 * @param application the data source
	 * @return a configuration that may be changed
	 * @throws UnsuitableDatabaseException if there is none to copy, or the data source
	 * may lead to several databases
	 */
	static HikariConfig copyOf(DataSource application) {
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
			// The copy must not use the application's meters and checks. Hikari allows a
			// registry or a factory of trackers, not both, so the registry goes first.
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
			JdbcConnectionDetails details = (application instanceof DescribedDataSource described) ? described.details()
					: null;
			if (details == null) {
				throw unsuitable(application, String.valueOf(ex.getMessage()), ex);
			}
			return of(details);
		}
	}

	private static HikariConfig of(JdbcConnectionDetails details) {
		HikariConfig config = new HikariConfig();
		config.setJdbcUrl(details.getJdbcUrl());
		config.setCredentialsProvider(() -> Credentials.of(details.getUsername(), details.getPassword()));
		return config;
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
				"No connections for Gator's engine can be derived from the data source "
						+ TransactionResources.unwrap(source).getClass().getName() + ": " + why,
				"Make a data source @Primary that leads to one database, and let the transactions that dispatch jobs"
						+ " run on it. If its pool does not tell its password, as Hikari's does, let Spring Boot"
						+ " create it from spring.datasource.*, or declare a bean of type JdbcConnectionDetails with"
						+ " the same URL, user and password. Or set gator.enabled=false.",
				cause);
	}

	/**
	 * Adapt the configuration of an application's data source to the engine.
	 * @param config a copy of it
	 * @param connections how many connections at most
	 * @param timeout how long one statement may take
	 * @param pooled whether there is a connection pooler between here and the server
	 */
	static void adapt(HikariConfig config, int connections, Duration timeout, boolean pooled) {
		setPool(config, connections);
		if (!pooled) {
			setSessions(config, timeout);
		}
		if (config.getDataSource() == null) {
			Properties properties = driverProperties(config, timeout);
			if (pooled) {
				useDefaultMode(config, properties);
			}
			setDriver(config, properties);
		}
	}

	private static void setPool(HikariConfig config, int connections) {
		config.setPoolName("gator");
		config.setMaximumPoolSize(connections);
		config.setMinimumIdle(1);
		config.setAutoCommit(true);
		config.setReadOnly(false);
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
	private static Properties driverProperties(HikariConfig config, Duration timeout) {
		Properties properties = new Properties();
		properties.putAll(config.getDataSourceProperties());
		properties.setProperty("ApplicationName", "gator");
		properties.setProperty("tcpKeepAlive", "true");
		properties.setProperty("connectTimeout", "3");
		// The application's stays, also one that the URL names.
		properties.putIfAbsent("socketFactory", PromptSocketFactory.class.getName());
		// An answer that never comes: the query's own time-out cannot be delivered
		// either. The application's may be shorter than the server's for a statement, and
		// a statement that waits for one locked row would look like a lost connection,
		// again and again.
		override(config, properties, "socketTimeout", Long.toString(timeout.plusSeconds(5).toSeconds()));
		if (prefersPrimary(config, properties)) {
			// An application may only read for a while, the engine cannot. And as it asks
			// the servers one by one, it would take the first one that is there.
			override(config, properties, TARGET, "primary");
		}
		return properties;
	}

	private static void override(HikariConfig config, Properties properties, String option, String value) {
		properties.setProperty(option, value);
		dropFromUrl(config, option);
	}

	/**
	 * Settings travel with a statement only in the driver's default mode. The simple mode
	 * sends them as a transaction of their own, and answers that are always binary do not
	 * fit two statements.
	 */
	private static void useDefaultMode(HikariConfig config, Properties properties) {
		for (String option : List.of("preferQueryMode", "prepareThreshold")) {
			properties.remove(option);
			dropFromUrl(config, option);
		}
	}

	/**
	 * The driver takes what an URL says before its properties.
	 */
	private static void dropFromUrl(HikariConfig config, String option) {
		String url = config.getJdbcUrl();
		if (url != null) {
			config.setJdbcUrl(url.replaceAll("(?<=[?&])" + option + "=[^&]*", ""));
		}
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

	/**
	 * Not through a pooler: it stays on a session which the application uses next.
	 * {@link EngineDataSource#prepare} is for that.
	 */
	private static void setSessions(HikariConfig config, Duration timeout) {
		config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
		String settings = EngineSettings.ofSession(timeout);
		String own = config.getConnectionInitSql();
		// On a line of its own: the application's may end in a comment.
		config.setConnectionInitSql((own != null && !own.isBlank()) ? own + "\n; " + settings : settings);
	}

	private static boolean prefersPrimary(HikariConfig config, Properties properties) {
		String url = config.getJdbcUrl();
		Properties all = (url != null) ? Driver.parseURL(url, properties) : properties;
		return all != null && "preferPrimary".equals(all.getProperty(TARGET));
	}

}
