package io.gator.test;

/**
 * A running PostgreSQL that the tests may fill with databases of their own. It ends with
 * the JVM.
 */
interface PostgresServer {

	/**
	 * What runs, and where, for the one line that a test run prints.
	 */
	String description();

	String host();

	int port();

	String username();

	String password();

	/**
	 * Run a statement on the maintenance database.
	 * @param sql the statement
	 */
	default void administer(String sql) {
		TestDatabase.administer(sql);
	}

	default String url(String database) {
		return "jdbc:postgresql://" + host() + ":" + port() + "/" + database;
	}

}
