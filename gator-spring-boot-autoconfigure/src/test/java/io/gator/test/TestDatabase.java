package io.gator.test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where tests get their databases from. The server is started by the first who asks, is
 * shared by all tests of the JVM and ends with it: a container where a Docker engine
 * answers, the embedded PostgreSQL where none does. The system property
 * {@code gator.test.database} ({@code docker} or {@code embedded}) takes the choice away.
 */
public final class TestDatabase {

	private static final String MAINTENANCE_DATABASE = "postgres";

	private static final AtomicInteger NUMBERS = new AtomicInteger();

	private TestDatabase() {
	}

	/**
	 * Make an empty database that nobody else uses.
	 * @return the database, dropped when closed
	 */
	public static DatabaseHandle create() {
		String name = "gator_test_" + NUMBERS.incrementAndGet();
		administer("create database " + name + " template template0 encoding 'UTF8'");
		return new DatabaseHandle(server(), name);
	}

	/**
	 * Tell which PostgreSQL the tests run on.
	 * @return the version, the kind and the port
	 */
	public static String description() {
		return Holder.DESCRIPTION;
	}

	static void administer(String sql) {
		try (Connection connection = connect(server()); Statement statement = connection.createStatement()) {
			statement.execute(sql);
		}
		catch (SQLException ex) {
			throw new IllegalStateException("Cannot run: " + sql, ex);
		}
	}

	private static Connection connect(PostgresServer server) throws SQLException {
		return DriverManager.getConnection(server.url(MAINTENANCE_DATABASE), server.username(), server.password());
	}

	private static PostgresServer server() {
		return Holder.SERVER;
	}

	private static PostgresServer start() {
		String wanted = System.getProperty("gator.test.database", "");
		return switch (wanted) {
			case "docker" -> ContainerServer.start();
			case "embedded" -> EmbeddedServer.start();
			case "" -> startWhatIsThere();
			default -> throw new IllegalArgumentException(
					"gator.test.database is '" + wanted + "', allowed are 'docker' and 'embedded'");
		};
	}

	private static PostgresServer startWhatIsThere() {
		if (ContainerServer.isPossible()) {
			try {
				return ContainerServer.start();
			}
			catch (RuntimeException ex) {
				System.out.println("PostgreSQL for the tests: a Docker engine answers, but the container did not "
						+ "start (" + ex.getMessage() + "), so the embedded one is taken");
			}
		}
		return EmbeddedServer.start();
	}

	private static String describe(PostgresServer server) {
		try (Connection connection = connect(server)) {
			return "PostgreSQL " + connection.getMetaData().getDatabaseProductVersion() + ", " + server.description();
		}
		catch (SQLException ex) {
			throw new IllegalStateException("The PostgreSQL for the tests does not answer", ex);
		}
	}

	private static final class Holder {

		private static final PostgresServer SERVER = start();

		private static final String DESCRIPTION = describe(SERVER);

		static {
			System.out.println("PostgreSQL for the tests: " + DESCRIPTION);
		}

	}

}
