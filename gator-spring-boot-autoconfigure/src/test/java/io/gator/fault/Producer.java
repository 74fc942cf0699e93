package io.gator.fault;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import javax.sql.DataSource;

/**
 * Dispatches jobs at a rate, one by one and by the dozen, some in transactions that are
 * rolled back, and writes down what it knows of each: committed, rolled back, or unknown
 * because the answer to the commit was lost.
 */
final class Producer implements AutoCloseable {

	private final DataSource dataSource;

	private final Journal journal;

	private final Path file;

	private final Random random;

	private final Load load;

	private final Thread thread = new Thread(this::loop, "producer");

	private volatile boolean stopping;

	private volatile Connection connection;

	Producer(DataSource dataSource, Path file, long seed, Load load) {
		this.dataSource = dataSource;
		this.file = file;
		this.journal = new Journal(file);
		this.random = new Random(seed);
		this.load = load;
	}

	void start() {
		this.thread.setDaemon(true);
		this.thread.start();
	}

	List<Journal.Entry> journal() {
		return Journal.read(this.file);
	}

	private void loop() {
		while (!this.stopping) {
			try {
				dispatch();
			}
			catch (SQLException ex) {
				// The server is away, or was.
				disconnect();
				LockSupport.parkNanos(50_000_000);
			}
			LockSupport.parkNanos((long) (1e9 / this.load.perSecond()));
		}
	}

	private void dispatch() throws SQLException {
		int draw = this.random.nextInt(100);
		String name = (draw < 70) ? "Work" : (draw < 85) ? "Effect" : "Fragile";
		int count = (this.random.nextInt(20) == 0) ? 12 : 1;
		boolean rollback = this.random.nextInt(15) == 0;
		double delay = (this.random.nextInt(10) == 0) ? this.random.nextDouble() * 2 : -1;
		dispatch(name, count, delay, rollback);
	}

	synchronized void dispatch(String name, int count, double delay, boolean rollback) throws SQLException {
		List<Long> ids = new ArrayList<>();
		String sent = "rolledback";
		try {
			Connection connection = connect();
			for (int i = 0; i < count; i++) {
				ids.add(insert(connection, name, delay));
			}
			if (rollback) {
				connection.rollback();
			}
			else {
				sent = "unknown";
				connection.commit();
				sent = "acked";
			}
		}
		finally {
			for (Long id : ids) {
				this.journal.write(sent, id, name);
			}
		}
	}

	private Connection connect() throws SQLException {
		if (this.connection == null) {
			this.connection = this.dataSource.getConnection();
			this.connection.setAutoCommit(false);
		}
		return this.connection;
	}

	private void disconnect() {
		Connection broken = this.connection;
		this.connection = null;
		if (broken != null) {
			try {
				broken.close();
			}
			catch (SQLException ex) {
				// It was broken.
			}
		}
	}

	private long insert(Connection connection, String name, double delay) throws SQLException {
		long millis = this.load.leastMillis() + this.random.nextInt(this.load.moreMillis());
		String args = name.equals("Work") ? "[" + millis + "," + (this.random.nextInt(10) == 0) + "]"
				: name.equals("Poison") ? "[]" : "[" + millis + "]";
		try (PreparedStatement statement = connection.prepareStatement("""
				insert into gator_job (queue, name, args, next_execution_at)
				values ('default', ?, ?::json,
				        case when ? >= 0 then statement_timestamp() + ? * interval '1 second' end)
				returning id
				""")) {
			statement.setString(1, name);
			statement.setString(2, args);
			statement.setDouble(3, delay);
			statement.setDouble(4, delay);
			try (ResultSet row = statement.executeQuery()) {
				row.next();
				return row.getLong(1);
			}
		}
	}

	@Override
	public void close() {
		this.stopping = true;
		try {
			this.thread.join(20_000);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		disconnect();
	}

	/**
	 * What to dispatch.
	 *
	 * @param perSecond how many transactions a second
	 * @param leastMillis the shortest job
	 * @param moreMillis how much longer others are
	 */
	record Load(int perSecond, int leastMillis, int moreMillis) {

	}

}
