package io.gator.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import javax.sql.DataSource;

/**
 * Looks whether Gator can work here, before it tries.
 */
final class DatabaseCheck {

	private static final int OLDEST_VERSION = 140_000;

	/** Each table, and the view, with the column that came last: older ones lack it. */
	private static final String MISSING = """
			select coalesce(t.relname || '.' || needed.newest, needed.name)
			  from (values ('gator_job', 'id'),
			               ('gator_dead_job', 'batch_key'),
			               ('gator_job_history', 'id'),
			               ('gator_jobs', 'id'),
			               ('gator_worker', 'id'),
			               ('gator_queue', 'used_at'),
			               ('gator_recurring', 'name'),
			               ('gator_insight', 'key')) needed (name, newest)
			  left join (pg_catalog.pg_class t join pg_catalog.pg_namespace s on s.oid = t.relnamespace and s.nspname = ?)
			    on t.relname = needed.name
			 where not exists (select from pg_catalog.pg_attribute a
			                    where a.attrelid = t.oid
			                      and a.attname = needed.newest
			                      and not a.attisdropped)
			""";

	/** In one look: a first migration commits the history before any other table. */
	private static final String TABLES = """
			select coalesce(bool_or(t.relname = 'gator_job'), false), coalesce(bool_or(t.relname = ?), false)
			  from pg_catalog.pg_class t
			  join pg_catalog.pg_namespace s on s.oid = t.relnamespace
			 where s.nspname = ?
			""";

	private DatabaseCheck() {
	}

	static void requireServer(DataSource dataSource) {
		try (Connection connection = dataSource.getConnection()) {
			String product = connection.getMetaData().getDatabaseProductName();
			if (!"PostgreSQL".equals(product)) {
				throw new UnsuitableDatabaseException("The data source is " + product + ", but Gator needs PostgreSQL",
						"Give Gator a data source of PostgreSQL 14 or later, or set gator.enabled=false.");
			}
			try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery("""
					select current_setting('server_version_num')::int,
					       current_setting('server_version'),
					       current_setting('server_encoding')
					""")) {
				row.next();
				if (row.getInt(1) < OLDEST_VERSION) {
					throw new UnsuitableDatabaseException(
							"The server is PostgreSQL " + row.getString(2) + ", but Gator needs 14 or later",
							"Upgrade the server.");
				}
				if (!"UTF8".equals(row.getString(3))) {
					throw new UnsuitableDatabaseException(
							"The database is encoded in " + row.getString(3) + ", but Gator needs UTF8",
							"Create the database with encoding 'UTF8'.");
				}
			}
		}
		catch (SQLException ex) {
			throw StoreException.of("look at the database", ex);
		}
	}

	/**
	 * Refuse tables that nobody knows the migrations of. Flyway would take them for those
	 * of the application, and leave a history that it lets nobody correct.
	 */
	static void requireHistory(DataSource dataSource, String schema) {
		if (isMadeByHand(dataSource, schema)) {
			throw new UnsuitableDatabaseException(
					"The schema '" + schema + "' holds gator_job, but no " + Migration.HISTORY_TABLE
							+ " that says which scripts were run, or an empty one",
					"If something empties all tables, as between tests, let it spare " + Migration.HISTORY_TABLE
							+ ". Drop that table if it is empty, and tell Flyway the number of the last script of "
							+ "classpath:io/gator/migration that was run on it, with " + "flyway -schemas=" + schema
							+ " -table=" + Migration.HISTORY_TABLE
							+ " -baselineVersion=… baseline, or set gator.migrate=false.");
		}
	}

	private static boolean isMadeByHand(DataSource dataSource, String schema) {
		try (Connection connection = dataSource.getConnection();
				PreparedStatement statement = connection.prepareStatement(TABLES)) {
			statement.setString(1, Migration.HISTORY_TABLE);
			statement.setString(2, schema);
			return Db.one(statement,
					(found) -> found.getBoolean(1) && !(found.getBoolean(2) && hasHistory(connection, schema)));
		}
		catch (SQLException ex) {
			throw StoreException.of("look for the history of Gator's tables", ex);
		}
	}

	private static boolean hasHistory(Connection connection, String schema) throws SQLException {
		String any = "select exists (select from \"" + schema + "\"." + Migration.HISTORY_TABLE + ")";
		try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery(any)) {
			row.next();
			return row.getBoolean(1);
		}
	}

	static UnsuitableDatabaseException mayNotMigrate(String schema, RuntimeException failure) {
		String refusal = SqlErrors.cause(failure, SQLException.class).map(SqlErrors::withoutDetail).orElse("no reason");
		return new UnsuitableDatabaseException(
				"The role of the data source may not create or change Gator's tables in the schema '" + schema + "': "
						+ refusal,
				"Create the schema if it is not there, and let the role create tables in it (grant create on schema "
						+ schema + "; tables that are there must belong to the role), "
						+ "or set gator.schema to a schema that belongs to it, or let another role run the scripts of "
						+ "classpath:io/gator/migration and set gator.migrate=false.",
				failure);
	}

	static void requireTables(DataSource dataSource, String schema, boolean migrated) {
		List<String> missing = missing(dataSource, schema);
		if (missing.isEmpty()) {
			return;
		}
		String what = "The schema '" + schema + "' does not hold " + String.join(", ", missing);
		if (migrated) {
			throw new UnsuitableDatabaseException(
					what + ", though its " + Migration.HISTORY_TABLE + " says that all migrations were run",
					"Restore what was dropped or renamed, or, if no job is to be kept, drop all tables and views of "
							+ "that schema whose names begin with gator_, so that they are created again.");
		}
		throw new UnsuitableDatabaseException(what + ", and gator.migrate is false",
				"Run the scripts of classpath:io/gator/migration that have not been run on it yet, set gator.schema to the "
						+ "schema that holds the tables, or set gator.migrate=true.");
	}

	private static List<String> missing(DataSource dataSource, String schema) {
		try (Connection connection = dataSource.getConnection();
				PreparedStatement statement = connection.prepareStatement(MISSING)) {
			statement.setString(1, schema);
			return Db.list(statement, (row) -> row.getString(1));
		}
		catch (SQLException ex) {
			throw StoreException.of("look for Gator's tables", ex);
		}
	}

}
