package io.gator.fault;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

import javax.sql.DataSource;

import io.gator.test.DatabaseHandle;

/**
 * Lets processes begin at the same moment: a lock that the test holds until then.
 */
final class StartSignal implements AutoCloseable {

	private static final int LOCK = 4711;

	private final Connection connection;

	private StartSignal(Connection connection) {
		this.connection = connection;
	}

	static StartSignal hold(DatabaseHandle database) throws SQLException {
		Connection connection = database.createDataSource().getConnection();
		try (Statement statement = connection.createStatement()) {
			statement.execute("select pg_advisory_lock(" + LOCK + ")");
		}
		return new StartSignal(connection);
	}

	static void await(DataSource dataSource) throws SQLException {
		try (Connection connection = dataSource.getConnection(); Statement statement = connection.createStatement()) {
			statement.execute("select pg_advisory_lock_shared(" + LOCK + ")");
			statement.execute("select pg_advisory_unlock_shared(" + LOCK + ")");
		}
	}

	static int waiting(DatabaseHandle database) {
		return database.jdbc().sql("""
				select count(*)
				  from pg_locks l join pg_database d on d.oid = l.database
				 where l.locktype = 'advisory' and l.objid = ? and not l.granted and d.datname = current_database()
				""").param(LOCK).query(Integer.class).single();
	}

	void give() throws SQLException {
		this.connection.close();
	}

	@Override
	public void close() throws SQLException {
		give();
	}

}
