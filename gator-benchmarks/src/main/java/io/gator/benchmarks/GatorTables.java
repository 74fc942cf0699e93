package io.gator.benchmarks;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

import com.zaxxer.hikari.HikariDataSource;
import io.gator.store.Migration;

/**
 * Gator's own tables, filled and emptied from outside for the raw loop and the engine
 * alike.
 */
final class GatorTables {

	/**
	 * The last settlement ends jobs with high ids, and looking there first does not walk
	 * over all dead rows while it is still on its way.
	 */
	private static final int LAST_IDS = 5000;

	private final Database database;

	GatorTables(Database database) {
		this.database = database;
	}

	void create() {
		try (HikariDataSource pool = this.database.pool(1)) {
			new Migration(pool, this.database.schema(), true).afterPropertiesSet();
		}
	}

	void truncate() throws SQLException {
		this.database.execute(
				"truncate gator_job, gator_dead_job, gator_job_history, gator_worker, gator_queue restart identity",
				"insert into gator_queue (name) values ('default')", "checkpoint");
	}

	/**
	 * Insert jobs with consecutive ids, as one dispatch would.
	 */
	void load(String name, int jobs) throws SQLException {
		this.database.execute("insert into gator_job (queue, name, args) select 'default', '" + name
				+ "', ('[' || i || ']')::json from generate_series(1, " + jobs + ") i", "analyze gator_job");
	}

	/**
	 * Insert jobs that are due an hour from now and later.
	 */
	void loadScheduled(String name, int jobs) throws SQLException {
		this.database.execute("insert into gator_job (queue, name, args, next_execution_at) select 'default', '" + name
				+ "', ('[' || i || ']')::json, now() + interval '1 hour' + i * interval '10 milliseconds'"
				+ " from generate_series(1, " + jobs + ") i", "analyze gator_job");
	}

	void pause() throws SQLException {
		this.database.execute("update gator_queue set paused_at = now()");
	}

	/**
	 * Resume all queues at once, which pools see with their next beat.
	 */
	void resume() throws SQLException {
		this.database.execute("update gator_queue set paused_at = null");
	}

	/**
	 * Do at once what a load of millions leaves to the server: it would do it in the
	 * middle of what is measured.
	 */
	void settleDown() throws SQLException {
		this.database.execute("vacuum analyze gator_job", "checkpoint");
	}

	/**
	 * Insert jobs of queues {@code q1}, {@code q2}, … in turns, as single dispatches
	 * would.
	 */
	void loadQueuesInTurns(String name, int jobs, int queues) throws SQLException {
		loadQueues(name, jobs, queues, "i % " + queues);
	}

	/**
	 * Insert jobs of queues {@code q1}, {@code q2}, … one queue after the other, as a
	 * bulk dispatch to each would.
	 */
	void loadQueuesOneByOne(String name, int jobs, int queues) throws SQLException {
		loadQueues(name, jobs, queues, "(i - 1) * " + queues + "::bigint / " + jobs);
	}

	private void loadQueues(String name, int jobs, int queues, String queue) throws SQLException {
		this.database
			.execute("insert into gator_queue (name) select 'q' || i from generate_series(1, " + queues + ") i",
					"insert into gator_job (queue, name, args) select 'q' || (" + queue + " + 1), '" + name
							+ "', ('[' || i || ']')::json from generate_series(1, " + jobs + ") i",
					"analyze gator_job");
	}

	/**
	 * Wait until no live job is left.
	 * @return the time at which that was so
	 */
	long awaitSettled() throws Exception {
		return awaitNone("true");
	}

	/**
	 * Wait until no live job is left that was dispatched for now and has not run.
	 * @return the time at which that was so
	 */
	long awaitRun() throws Exception {
		return awaitNone("next_execution_at is null");
	}

	private long awaitNone(String condition) throws Exception {
		try (Connection connection = this.database.connect(); Statement statement = connection.createStatement()) {
			// A table that was not analyzed since it was filled would be read as a whole
			// for each answer, which takes a processor from those who are measured.
			statement.execute("set enable_seqscan = off; set enable_bitmapscan = off");
			long last = (long) Database.number(connection,
					"select coalesce(max(last_value), 0) as " + Database.PROBE
							+ " from pg_sequences where schemaname = '" + this.database.schema()
							+ "' and sequencename = 'gator_job_id_seq'");
			long deadline = System.nanoTime() + 60_000_000_000L;
			while (true) {
				long asked = System.nanoTime();
				if (!exists(statement, condition + " and id > " + (last - LAST_IDS)) && !exists(statement, condition)) {
					return asked;
				}
				if (asked > deadline) {
					throw new IllegalStateException("Jobs are left: "
							+ Database.number(connection, "select count(*) as " + Database.PROBE + " from gator_job"));
				}
				Thread.sleep(1);
			}
		}
	}

	private static boolean exists(Statement statement, String where) throws SQLException {
		try (ResultSet row = statement
			.executeQuery("select exists(select from gator_job where " + where + ") as " + Database.PROBE)) {
			row.next();
			return row.getBoolean(1);
		}
	}

	void requireHistory(int jobs) throws SQLException {
		require(jobs, "gator_job_history");
	}

	/**
	 * Make sure of where jobs are.
	 * @param jobs how many there must be
	 * @param where a table, and perhaps a condition
	 */
	void require(int jobs, String where) throws SQLException {
		double found = this.database.number("select count(*) as " + Database.PROBE + " from " + where);
		if (found != jobs) {
			throw new IllegalStateException(found + " jobs of " + jobs + " are in " + where);
		}
	}

	/**
	 * What the server has counted for the table of live jobs.
	 * @param expression of columns of {@code pg_stat_user_tables}
	 */
	double statistic(String expression) throws SQLException {
		return this.database
			.number("select " + expression + " as " + Database.PROBE + " from pg_stat_user_tables where schemaname = '"
					+ this.database.schema() + "' and relname = 'gator_job'");
	}

	int dispatched() throws SQLException {
		return (int) this.database.number("select count(*) as " + Database.PROBE + " from gator_job");
	}

}
