package io.gator.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import javax.sql.DataSource;

import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.InitializingBean;

/**
 * Creates and changes Gator's tables, with a Flyway of its own beside whatever the
 * application uses: another history table, another location, its own baseline.
 */
public final class Migration implements InitializingBean {

	/** The table that remembers which of Gator's migrations were made. */
	static final String HISTORY_TABLE = "gator_schema_history";

	/** One for the history table, one for the scripts. */
	private static final int CONNECTIONS = 2;

	private static final Duration STATEMENT_TIMEOUT = Duration.ofMinutes(30);

	private static final Duration BETWEEN_TRIES = Duration.ofSeconds(3);

	private static final Duration PATIENCE = Duration.ofMinutes(5);

	private static final Logger logger = LoggerFactory.getLogger(Migration.class);

	private final DataSource dataSource;

	private final String schema;

	private final boolean migrate;

	/**
	 * Create a migration.
	 * @param dataSource the application's data source
	 * @param schema the schema of Gator's tables; created if it is not there
	 * @param migrate whether to change anything; if not, what is there is only checked
	 */
	public Migration(DataSource dataSource, String schema, boolean migrate) {
		this.dataSource = dataSource;
		this.schema = GatorStores.validSchema(schema);
		this.migrate = migrate;
	}

	@Override
	public void afterPropertiesSet() {
		if (!this.migrate && TrainingRun.isOn()) {
			logger.info("Gator's tables are not looked at, because this run ends before it needs them");
			return;
		}
		DatabaseCheck.requireServer(this.dataSource);
		// Not on the application's connections: it may have but one, and what is set for
		// its sessions, time-outs of some milliseconds perhaps, is not meant for this.
		try (EngineDataSource own = EngineDataSource.derive(this.dataSource, CONNECTIONS, STATEMENT_TIMEOUT,
				EngineDataSource.hasPooler(this.dataSource))) {
			if (this.migrate) {
				migrate(own);
			}
			DatabaseCheck.requireTables(own, this.schema, this.migrate);
		}
	}

	private void migrate(DataSource own) {
		try {
			DatabaseCheck.requireHistory(own, this.schema);
			migrate(flyway(own, this.schema));
		}
		catch (StoreException | FlywayException ex) {
			// Since PostgreSQL 15 only its owner may create tables in the schema public.
			if (has(ex, SqlErrors::isDenied)) {
				throw DatabaseCheck.mayNotMigrate(this.schema, ex);
			}
			throw ex;
		}
	}

	/**
	 * What could not have its table in time was rolled back, and is tried again.
	 */
	private static void migrate(Flyway flyway) {
		long begun = System.nanoTime();
		while (true) {
			try {
				flyway.migrate();
				return;
			}
			catch (FlywayException ex) {
				if (!has(ex, SqlErrors::isLocked) || System.nanoTime() - begun > PATIENCE.toNanos()) {
					throw ex;
				}
				logger.warn("Gator's tables cannot be changed while another transaction uses them; trying again");
			}
			pause();
		}
	}

	private static boolean has(RuntimeException failure, Predicate<SQLException> kind) {
		return SqlErrors.causes(failure).anyMatch((cause) -> cause instanceof SQLException ex && kind.test(ex));
	}

	private static void pause() {
		try {
			TimeUnit.NANOSECONDS.sleep(BETWEEN_TRIES.toNanos());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while Gator's tables were in use", ex);
		}
	}

	static Flyway flyway(DataSource own, String schema) {
		FluentConfiguration configuration = Flyway.configure(Migration.class.getClassLoader())
			.dataSource(new ShortSearchPath(own))
			.locations("classpath:io/gator/migration")
			.table(HISTORY_TABLE)
			.schemas(schema)
			.defaultSchema(schema)
			.createSchemas(true)
			.baselineOnMigrate(true)
			.baselineVersion("0")
			.baselineDescription("Before Gator")
			// Newer versions of an application may have gone ahead: both run side by
			// side.
			.ignoreMigrationPatterns("*:future")
			.callbacks(new ShortLocks())
			.lockRetryCount((int) PATIENCE.toSeconds())
			.cleanDisabled(true);
		return configuration.load();
	}

}
