package io.gator.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

/**
 * Looks whether Gator can work here, before it tries.
 */
final class DatabaseCheck {

	private static final int OLDEST = 140_000;

	private static final List<String> TABLES = List.of("gator_job", "gator_dead_job", "gator_job_history",
			"gator_worker", "gator_queue", "gator_recurring");

	private DatabaseCheck() {
	}

	static void server(DataSource dataSource) {
		try (Connection connection = dataSource.getConnection()) {
			String product = connection.getMetaData().getDatabaseProductName();
			if (!"PostgreSQL".equals(product)) {
				throw new UnsuitableDatabaseException(
						"The data source is a " + product + ", and Gator needs PostgreSQL",
						"Give Gator a data source of PostgreSQL 14 or later, or set gator.enabled=false.");
			}
			try (Statement statement = connection.createStatement(); ResultSet row = statement.executeQuery("""
					select current_setting('server_version_num')::int,
					       current_setting('server_version'),
					       current_setting('server_encoding')
					""")) {
				row.next();
				if (row.getInt(1) < OLDEST) {
					throw new UnsuitableDatabaseException(
							"The server is PostgreSQL " + row.getString(2) + ", and Gator needs 14 or later",
							"Upgrade the server.");
				}
				if (!"UTF8".equals(row.getString(3))) {
					throw new UnsuitableDatabaseException(
							"The database is encoded in " + row.getString(3) + ", and Gator needs UTF8",
							"Create the database with encoding 'UTF8'.");
				}
			}
		}
		catch (SQLException ex) {
			throw StoreException.of("look at the database", ex, false);
		}
	}

	static void tables(DataSource dataSource, String schema) {
		List<String> missing = new ArrayList<>();
		try (Connection connection = dataSource.getConnection();
				PreparedStatement statement = connection
					.prepareStatement("select to_regclass('\"' || ? || '\".' || ?) is not null")) {
			for (String table : TABLES) {
				statement.setString(1, schema);
				statement.setString(2, table);
				try (ResultSet row = statement.executeQuery()) {
					row.next();
					if (!row.getBoolean(1)) {
						missing.add(table);
					}
				}
			}
		}
		catch (SQLException ex) {
			throw StoreException.of("look for Gator's tables", ex, false);
		}
		if (!missing.isEmpty()) {
			throw new UnsuitableDatabaseException(
					"The schema '" + schema + "' does not hold " + String.join(", ", missing)
							+ ", and gator.migrate is false",
					"Run the scripts of classpath:io/gator/migration on it, set gator.schema to the schema that holds "
							+ "the tables, or set gator.migrate=true.");
		}
	}

}
