package io.gator.store;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/**
 * Runs one statement as one transaction on a connection of the engine's own, with a
 * time-out, and tells failures apart by whether the statement was sent.
 */
final class Db {

	/** As long as one waits for a connection of the engine's. */
	private static final Duration PATIENCE = Duration.ofSeconds(5);

	private final DataSource dataSource;

	private final int timeoutSeconds;

	private final @Nullable Semaphore permits;

	Db(DataSource dataSource, Duration timeout) {
		this(dataSource, timeout, null);
	}

	/**
	 * For statements that are not to take every connection.
	 * @param dataSource where connections come from
	 * @param timeout how long one statement may take
	 * @param permits one for each connection that such statements may hold at a time
	 */
	Db(DataSource dataSource, Duration timeout, @Nullable Semaphore permits) {
		this.dataSource = dataSource;
		this.timeoutSeconds = (int) Math.max(1, timeout.toSeconds());
		this.permits = permits;
	}

	/**
	 * The same without a permit, for what is short and cannot wait for those who have
	 * one.
	 * @return one that takes any connection
	 */
	Db withoutPermit() {
		return new Db(this.dataSource, timeout());
	}

	/**
	 * Whether the server is there and does not take this process. Asks nobody.
	 * @return whether it has refused the last connection, as far as that can be seen
	 */
	boolean isRefused() {
		return this.dataSource instanceof EngineDataSource engine && engine.isRefused();
	}

	Duration timeout() {
		return Duration.ofSeconds(this.timeoutSeconds);
	}

	/**
	 * Run a statement.
	 * @param <T> the type of the answer
	 * @param what what it does, for the error: "claim jobs"
	 * @param sql the statement
	 * @param work sets its parameters, runs it and reads the answer
	 * @return the answer
	 */
	<T> T run(String what, String sql, Work<T> work) {
		if (this.permits == null) {
			return runNow(what, sql, work);
		}
		acquire(what, this.permits);
		try {
			return runNow(what, sql, work);
		}
		finally {
			this.permits.release();
		}
	}

	private static void acquire(String what, Semaphore permits) {
		String trouble = "the connections for it were in use by others for " + PATIENCE.toSeconds() + " s";
		try {
			if (permits.tryAcquire(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
				return;
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			trouble = "interrupted while the connections for it were in use by others";
		}
		throw StoreException.busy(what, trouble);
	}

	private <T> T runNow(String what, String sql, Work<T> work) {
		boolean sent = false;
		try (Connection connection = this.dataSource.getConnection()) {
			try (PreparedStatement statement = prepare(connection, sql)) {
				statement.setQueryTimeout(this.timeoutSeconds);
				sent = true;
				return work.run(statement);
			}
			catch (Error ex) {
				// An answer that is read half would be taken for the one of the next
				// statement.
				connection.abort(Runnable::run);
				throw ex;
			}
		}
		catch (SQLException ex) {
			if (SqlErrors.isReadOnly(ex) && this.dataSource instanceof EngineDataSource engine) {
				// Such a session may only read for as long as it lives, though the server
				// writes again, or another one does in its place.
				engine.renew();
			}
			throw StoreException.of(what, ex, sent);
		}
	}

	private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
		return (this.dataSource instanceof EngineDataSource engine) ? engine.prepare(connection, sql)
				: connection.prepareStatement(sql);
	}

	int update(String what, String sql, Parameters parameters) {
		return run(what, sql, (statement) -> {
			parameters.set(statement);
			return statement.executeUpdate();
		});
	}

	private static Array array(PreparedStatement statement, String type, @Nullable Object[] values)
			throws SQLException {
		return statement.getConnection().createArrayOf(type, values);
	}

	/** Run a query for ids, the first column of its rows. */
	static List<Long> ids(PreparedStatement statement) throws SQLException {
		return list(statement, (row) -> row.getLong(1));
	}

	/**
	 * Plan a statement each time. In a session of the application's a plan that was made
	 * for a nearly empty table would read the whole table when it has grown.
	 * @param statement the statement
	 * @throws SQLException if the driver refuses
	 */
	static void planEachTime(PreparedStatement statement) throws SQLException {
		if (statement.isWrapperFor(PGStatement.class)) {
			statement.unwrap(PGStatement.class).setPrepareThreshold(0);
		}
	}

	/**
	 * Run a query that has one row.
	 * @param <T> the type of the answer
	 * @param statement the query
	 * @param row reads the row
	 * @return the answer
	 * @throws SQLException if the query fails
	 */
	static <T> T one(PreparedStatement statement, Row<T> row) throws SQLException {
		try (ResultSet rows = statement.executeQuery()) {
			rows.next();
			return row.read(rows);
		}
	}

	/**
	 * Run a query.
	 * @param <T> the type of an answer
	 * @param statement the query
	 * @param row reads one row
	 * @return one answer for each row, in a list that may be changed
	 * @throws SQLException if the query fails
	 */
	static <T> List<T> list(PreparedStatement statement, Row<T> row) throws SQLException {
		List<T> all = new ArrayList<>();
		try (ResultSet rows = statement.executeQuery()) {
			while (rows.next()) {
				all.add(row.read(rows));
			}
		}
		return all;
	}

	static Array texts(PreparedStatement statement, Collection<String> values) throws SQLException {
		return array(statement, "text", values.toArray(new String[0]));
	}

	static Array longs(PreparedStatement statement, Collection<Long> values) throws SQLException {
		return array(statement, "bigint", values.toArray(new Long[0]));
	}

	static <S> void setTexts(PreparedStatement statement, int index, List<S> list, Function<S, @Nullable String> value)
			throws SQLException {
		setEach(statement, index, "text", list, String[]::new, value);
	}

	static <S> void setLongs(PreparedStatement statement, int index, List<S> list, Function<S, @Nullable Long> value)
			throws SQLException {
		setEach(statement, index, "bigint", list, Long[]::new, value);
	}

	static <S> void setInts(PreparedStatement statement, int index, List<S> list, Function<S, @Nullable Integer> value)
			throws SQLException {
		setEach(statement, index, "int4", list, Integer[]::new, value);
	}

	static <S> void setDoubles(PreparedStatement statement, int index, List<S> list,
			Function<S, @Nullable Double> value) throws SQLException {
		setEach(statement, index, "float8", list, Double[]::new, value);
	}

	static <S> void setBooleans(PreparedStatement statement, int index, List<S> list,
			Function<S, @Nullable Boolean> value) throws SQLException {
		setEach(statement, index, "bool", list, Boolean[]::new, value);
	}

	private static <S> void setEach(PreparedStatement statement, int index, String type, List<S> list,
			IntFunction<@Nullable Object[]> newArray, Function<S, ? extends @Nullable Object> value)
			throws SQLException {
		@Nullable Object[] values = newArray.apply(list.size());
		for (int i = 0; i < values.length; i++) {
			values[i] = value.apply(list.get(i));
		}
		statement.setArray(index, array(statement, type, values));
	}

	static @Nullable Double seconds(@Nullable Duration duration) {
		return (duration != null) ? duration.getSeconds() + duration.getNano() / 1e9 : null;
	}

	static @Nullable OffsetDateTime time(@Nullable Instant time) {
		if (time == null) {
			return null;
		}
		// What the driver makes of an infinite time, and takes for one, is none in UTC.
		return time.equals(OffsetDateTime.MIN.toInstant()) ? OffsetDateTime.MIN
				: time.equals(OffsetDateTime.MAX.toInstant()) ? OffsetDateTime.MAX : time.atOffset(ZoneOffset.UTC);
	}

	static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
		OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
		return (time != null) ? time.toInstant() : null;
	}

	/** A time from a column that is never null. */
	static Instant knownInstant(ResultSet row, String column) throws SQLException {
		return Objects.requireNonNull(instant(row, column), column);
	}

	static List<String> texts(ResultSet row, String column) throws SQLException {
		return List.of((String[]) row.getArray(column).getArray());
	}

	/**
	 * Sets parameters.
	 */
	@FunctionalInterface
	interface Parameters {

		void set(PreparedStatement statement) throws SQLException;

	}

	/**
	 * Reads one row.
	 *
	 * @param <T> what it makes of it
	 */
	@FunctionalInterface
	interface Row<T> {

		T read(ResultSet row) throws SQLException;

	}

	/**
	 * Runs a prepared statement.
	 *
	 * @param <T> the type of the answer
	 */
	@FunctionalInterface
	interface Work<T> {

		T run(PreparedStatement statement) throws SQLException;

	}

}
