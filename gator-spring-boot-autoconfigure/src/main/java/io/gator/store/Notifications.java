package io.gator.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Opens sessions that listen for notifications and hold the advisory locks of pools.
 * Behind a pooler a session means nothing, so none is opened: there pools find work by
 * polling alone, and a pool is dead only when its lease is over.
 */
public final class Notifications {

	/**
	 * What {@link Session#await} returns when pools are to ask at once what has changed,
	 * instead of with their next beat. Not a valid name of a queue.
	 */
	public static final String CHANGE = "!";

	/**
	 * What {@link Session#await} returns when there may be work in any queue. Not a valid
	 * name of a queue.
	 */
	public static final String ANYWHERE = "";

	/**
	 * The longest time, in seconds, that Linux takes for the settings of
	 * {@link Session#outlast}.
	 */
	private static final long LONGEST_SECONDS = 32_767;

	private final DataSource dataSource;

	private final NotificationSql sql;

	private final Channel channel;

	Notifications(DataSource dataSource, NotificationSql sql, Channel channel) {
		this.dataSource = dataSource;
		this.sql = sql;
		this.channel = channel;
	}

	/**
	 * Open a session.
	 * @return the session, to be used by one thread
	 * @throws StoreException if the database cannot be reached
	 * @throws PooledException if there is a pooler in between
	 */
	public Session open() throws PooledException {
		Connection connection = null;
		try {
			connection = this.dataSource.getConnection();
			PGConnection postgres = connection.unwrap(PGConnection.class);
			if (EngineDataSource.hasPooler(connection)) {
				connection.close();
				throw new PooledException();
			}
			try (Statement statement = connection.createStatement()) {
				statement.execute(NotificationSql.listen(this.channel.name()));
			}
			return new Session(connection, postgres);
		}
		catch (SQLException ex) {
			close(connection);
			throw StoreException.of("listen for notifications", ex);
		}
		catch (RuntimeException | Error ex) {
			// The engine has few connections, and would miss each that is lost.
			close(connection);
			throw ex;
		}
	}

	private static void close(@Nullable Connection connection) {
		if (connection != null) {
			try {
				connection.close();
			}
			catch (SQLException ignored) {
				// The connection is broken already; the connection pool throws it away.
			}
		}
	}

	/**
	 * A session of the server's. Used by one thread.
	 */
	public final class Session implements AutoCloseable {

		private final Connection connection;

		private final PGConnection postgres;

		private Session(Connection connection, PGConnection postgres) {
			this.connection = connection;
			this.postgres = postgres;
		}

		/**
		 * Ask the server not to take the session for broken before a time is over,
		 * whatever it does with other sessions. The server may notice that a process is
		 * cut off before the process does, and would free its locks while its pools still
		 * run jobs. Does nothing if the server, or the kind of connection, does not know
		 * the settings.
		 * @param silence how long nothing may be heard of this side; nine hours at most
		 */
		public void outlast(Duration silence) {
			long seconds = Math.min(LONGEST_SECONDS, silence.toSeconds() + 1);
			try (PreparedStatement settings = this.connection.prepareStatement(Notifications.this.sql.outlast)) {
				settings.setString(1, seconds + "s");
				settings.execute();
			}
			catch (SQLException ex) {
				throw StoreException.of("keep the listening session", ex);
			}
		}

		/**
		 * Wait for notifications.
		 * @param timeout how long to wait at most
		 * @return the queues that have work, {@link Notifications#ANYWHERE} or
		 * {@link Notifications#CHANGE} among them
		 */
		public List<String> await(Duration timeout) {
			try {
				PGNotification[] notifications = this.postgres
					.getNotifications((int) Math.max(1, Math.min(Integer.MAX_VALUE, timeout.toMillis())));
				List<String> queues = new ArrayList<>();
				if (notifications != null) {
					for (PGNotification notification : notifications) {
						queues.addAll(Notifications.this.channel.heard(notification.getParameter()));
					}
				}
				return queues;
			}
			catch (SQLException ex) {
				throw StoreException.of("listen for notifications", ex);
			}
		}

		/**
		 * Ask the server whether the session is still there: a connection that was cut
		 * silently says nothing for ever.
		 */
		public void check() {
			try (Statement statement = this.connection.createStatement()) {
				statement.execute("select 1");
			}
			catch (SQLException ex) {
				throw StoreException.of("check the listening session", ex);
			}
		}

		/**
		 * Hold the lock of a pool for as long as the session lives.
		 * @param worker the identity of the pool
		 * @return whether the session has the lock now; another session may still have it
		 */
		public boolean lock(long worker) {
			try (PreparedStatement lock = this.connection.prepareStatement(Notifications.this.sql.lockWorker);
					PreparedStatement mark = this.connection.prepareStatement(Notifications.this.sql.markLocked)) {
				lock.setInt(1, (int) worker);
				boolean locked = Db.one(lock, (row) -> row.getBoolean(1));
				mark.setBoolean(1, locked);
				mark.setLong(2, worker);
				mark.executeUpdate();
				return locked;
			}
			catch (SQLException ex) {
				throw StoreException.of("lock a pool", ex);
			}
		}

		/**
		 * Give back the locks of those identities that nobody lives under any more: their
		 * rows are gone.
		 * @param workers identities whose locks the session has
		 * @return those whose locks it has given back
		 */
		public Set<Long> unlockRetired(Collection<Long> workers) {
			try (PreparedStatement unlock = this.connection.prepareStatement(Notifications.this.sql.unlockRetired)) {
				unlock.setArray(1, Db.longs(unlock, workers));
				return Set.copyOf(Db.ids(unlock));
			}
			catch (SQLException ex) {
				throw StoreException.of("unlock pools", ex);
			}
		}

		@Override
		public void close() {
			try {
				if (!this.connection.isClosed()) {
					try (Statement statement = this.connection.createStatement()) {
						for (String text : NotificationSql.FORGET) {
							statement.execute(text);
						}
					}
				}
			}
			catch (SQLException ignored) {
				// A broken session has neither locks nor channels left.
			}
			Notifications.close(this.connection);
		}

	}

	/**
	 * There is a pooler between the application and the server.
	 */
	public static final class PooledException extends Exception {

		private static final long serialVersionUID = 1L;

		PooledException() {
			super("A connection pooler stands between the application and PostgreSQL");
		}

	}

}
