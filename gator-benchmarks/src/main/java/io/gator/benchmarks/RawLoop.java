package io.gator.benchmarks;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

import io.gator.store.RawStatements;
import org.postgresql.PGConnection;

/**
 * What the database itself gives: the engine's statements, on plain connections, in
 * batches of the best size, with nothing around them. Nothing is parsed and no handler is
 * called, but all that a handler would need is read.
 */
final class RawLoop implements Contestant {

	private final Database database;

	private final GatorTables tables;

	private final RawStatements statements;

	private final int connections;

	private final boolean history;

	private final boolean buffered;

	private int batch;

	private int chunk = 2000;

	RawLoop(Database database, int connections, boolean history, int batch) {
		this(database, connections, history, batch, false);
	}

	/**
	 * Create a loop.
	 * @param database its database
	 * @param connections how many connections work side by side
	 * @param history whether successes are kept
	 * @param batch how many jobs are claimed and settled at once
	 * @param buffered whether they are claimed as a batch of a buffered job
	 */
	RawLoop(Database database, int connections, boolean history, int batch, boolean buffered) {
		this.buffered = buffered;
		this.database = database;
		this.tables = new GatorTables(database);
		this.statements = new RawStatements(database.schema());
		this.connections = connections;
		this.history = history;
		this.batch = batch;
	}

	@Override
	public String name() {
		return "raw, " + ((this.connections == 1) ? "1 connection" : this.connections + " connections")
				+ (this.history ? "" : ", no history") + (this.buffered ? ", claims of batches" : "");
	}

	int batch() {
		return this.batch;
	}

	int chunk() {
		return this.chunk;
	}

	@Override
	public void reset() throws SQLException {
		this.tables.truncate();
	}

	@Override
	public void load(int jobs) throws SQLException {
		this.tables.load(NoOp.NAME, jobs);
	}

	/**
	 * Take the size of a batch with which a drain is fastest.
	 */
	void searchBatch(int jobs, Integer... sizes) throws Exception {
		this.batch = Contestant.fastest(List.of(sizes), 2, (size) -> {
			this.batch = size;
			reset();
			load(jobs);
			return drain(jobs);
		});
	}

	void searchChunk(int jobs, Integer... sizes) throws Exception {
		this.chunk = Contestant.fastest(List.of(sizes), 3, (size) -> {
			this.chunk = size;
			reset();
			return dispatchMany(jobs);
		});
	}

	@Override
	public double drain(int jobs) throws Exception {
		AtomicLong left = new AtomicLong(jobs);
		return drain(jobs, (connection) -> loop(connection, left));
	}

	/**
	 * Run all jobs that were loaded in a way of one's own.
	 * @param jobs how many
	 * @param loop what to do on each of the connections
	 * @return jobs a second
	 */
	double drain(int jobs, Function<Connection, Callable<Void>> loop) throws Exception {
		List<Connection> open = new ArrayList<>();
		ExecutorService threads = Executors.newFixedThreadPool(this.connections);
		try {
			for (int i = 0; i < this.connections; i++) {
				open.add(connect());
			}
			Compilers.awaitIdle();
			long start = System.nanoTime();
			List<Future<Void>> running = new ArrayList<>();
			for (Connection connection : open) {
				running.add(threads.submit(loop.apply(connection)));
			}
			for (Future<Void> one : running) {
				one.get();
			}
			long end = System.nanoTime();
			this.tables.awaitSettled();
			if (this.history) {
				this.tables.requireHistory(jobs);
			}
			return Contestant.rate(jobs, end - start);
		}
		finally {
			threads.shutdownNow();
			for (Connection connection : open) {
				connection.close();
			}
		}
	}

	private Callable<Void> loop(Connection connection, AtomicLong left) {
		return () -> {
			long after = 0;
			long[] ids = new long[this.batch];
			long[] leases = new long[this.batch];
			while (left.get() > 0) {
				int claimed = this.buffered ? claimBatch(connection, after, ids, leases)
						: claim(connection, after, ids, leases);
				if (claimed == 0) {
					if (after == 0 && left.get() > 0) {
						Thread.onSpinWait();
					}
					after = 0;
					continue;
				}
				for (int i = 0; i < claimed; i++) {
					after = Math.max(after, ids[i]);
				}
				settle(connection, ids, leases, claimed);
				left.addAndGet(-claimed);
			}
			return null;
		};
	}

	/**
	 * Open a plain connection, whose plans are made as those of the engine are.
	 */
	Connection connect() throws SQLException {
		Connection connection = this.database.connect();
		try (Statement statement = connection.createStatement()) {
			statement.execute(this.statements.session());
		}
		return connection;
	}

	/**
	 * Claim as many jobs as the arrays hold.
	 * @return how many were claimed
	 */
	int claim(Connection connection, long after, long[] ids, long[] leases) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.statements.claim())) {
			statement.setArray(1, array(connection, "text", new String[] { "default" }));
			statement.setArray(2, array(connection, "int4", new int[] { this.batch }));
			statement.setArray(3, array(connection, "int8", new long[] { after }));
			statement.setArray(4, array(connection, "float8", new double[] { 0 }));
			statement.setArray(5, array(connection, "text", new String[] { NoOp.NAME }));
			statement.setArray(6, array(connection, "text", new String[] { NoOp.NAME }));
			statement.setInt(7, this.batch);
			statement.setLong(8, 1);
			return read(statement, ids, leases);
		}
	}

	private int claimBatch(Connection connection, long after, long[] ids, long[] leases) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.statements.claimBatches())) {
			String[] names = { NoOp.NAME };
			statement.setArray(1, array(connection, "text", names));
			statement.setArray(2, array(connection, "int4", new int[] { this.batch }));
			statement.setArray(3, array(connection, "int4", new int[] { 1 }));
			// The last batch need not be full.
			statement.setArray(4, array(connection, "float8", new double[] { 0 }));
			statement.setArray(5, array(connection, "int4", new int[] { this.batch }));
			statement.setArray(6, array(connection, "bool", new boolean[] { false }));
			statement.setDouble(7, Double.NEGATIVE_INFINITY);
			statement.setArray(8, array(connection, "text", names));
			statement.setArray(9, array(connection, "text", new String[] { "default" }));
			statement.setArray(10, array(connection, "int8", new long[] { after }));
			statement.setBoolean(11, true);
			statement.setArray(12, array(connection, "int8", new long[] { after }));
			statement.setInt(13, 1);
			statement.setLong(14, 1);
			return read(statement, ids, leases);
		}
	}

	private static int read(PreparedStatement statement, long[] ids, long[] leases) throws SQLException {
		int claimed = 0;
		try (ResultSet row = statement.executeQuery()) {
			while (row.next()) {
				ids[claimed] = row.getLong(1);
				row.getString(3);
				row.getString(4);
				row.getInt(5);
				leases[claimed++] = row.getLong(6);
			}
		}
		return claimed;
	}

	/**
	 * Settle successes.
	 */
	void settle(Connection connection, long[] ids, long[] leases, int count) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.statements.succeed(this.history))) {
			statement.setArray(1, array(connection, "int8", Arrays.copyOf(ids, count)));
			statement.setArray(2, array(connection, "int8", Arrays.copyOf(leases, count)));
			if (this.history) {
				statement.setArray(3, array(connection, "text", new String[count]));
			}
			try (ResultSet row = statement.executeQuery()) {
				if (row.next()) {
					throw new IllegalStateException("Job " + row.getLong(1) + " was lost");
				}
			}
		}
	}

	private static Array array(Connection connection, String type, Object values) throws SQLException {
		return connection.unwrap(PGConnection.class).createArrayOf(type, values);
	}

	@Override
	public double dispatchMany(int jobs) throws Exception {
		String[] all = new String[jobs];
		for (int i = 0; i < jobs; i++) {
			all[i] = "[" + i + "]";
		}
		try (Connection connection = connect()) {
			connection.setAutoCommit(false);
			long start = System.nanoTime();
			long sum = 0;
			for (int from = 0; from < jobs; from += this.chunk) {
				String[] chunk = Arrays.copyOfRange(all, from, Math.min(jobs, from + this.chunk));
				sum += insertMany(connection, chunk);
			}
			connection.commit();
			long end = System.nanoTime();
			if (sum != jobs || this.tables.dispatched() != jobs) {
				throw new IllegalStateException(sum + " jobs of " + jobs + " were inserted");
			}
			return Contestant.rate(jobs, end - start);
		}
	}

	private int insertMany(Connection connection, String[] args) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.statements.insertMany())) {
			statement.setString(1, "default");
			statement.setString(2, NoOp.NAME);
			statement.setNull(3, Types.TIMESTAMP_WITH_TIMEZONE);
			statement.setNull(4, Types.DOUBLE);
			statement.setString(5, null);
			statement.setArray(6, array(connection, "text", args));
			int inserted = 0;
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					row.getLong(1);
					inserted++;
				}
			}
			return inserted;
		}
	}

	/**
	 * Insert one job.
	 */
	long insert(Connection connection, String args) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.statements.insert())) {
			statement.setString(1, "default");
			statement.setString(2, NoOp.NAME);
			statement.setString(3, args);
			statement.setNull(4, Types.TIMESTAMP_WITH_TIMEZONE);
			statement.setNull(5, Types.DOUBLE);
			statement.setString(6, null);
			statement.setString(7, null);
			try (ResultSet row = statement.executeQuery()) {
				row.next();
				return row.getLong(1);
			}
		}
	}

}
