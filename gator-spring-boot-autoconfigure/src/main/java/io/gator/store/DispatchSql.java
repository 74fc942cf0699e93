package io.gator.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

/**
 * The statements that write new jobs.
 */
final class DispatchSql {

	/** When a job is due, null for now: the two parameters of {@link #setTime}. */
	private static final String DUE = "coalesce(?::timestamptz, {now} + ?::float8 * interval '1 second')";

	final String insert;

	final String insertUnique;

	final String insertMany;

	final String insertManyWithKeys;

	final String beforeCopy;

	final String copy;

	final String copiedIds;

	final String findUnique;

	DispatchSql(Sql sql) {
		this.insert = of(sql, """
				insert into {schema}.gator_job
				       (queue, name, args, next_execution_at, created_at, batch_key, metadata)
				values (?, ?, ?::json, {due}, {now}, ?, ?::json)
				returning id
				""");
		this.insertUnique = of(sql, """
				insert into {schema}.gator_job
				       (queue, name, args, next_execution_at, created_at, batch_key, metadata,
				        unique_key, unique_until_started)
				values (?, ?, ?::json, {due}, {now}, ?, ?::json,
				        ?, ?)
				on conflict (unique_key) where unique_key is not null do nothing
				returning id
				""");
		// Ids are given in the order of the array: the caller's order is the order of the
		// rows.
		this.insertMany = of(sql, """
				insert into {schema}.gator_job
				       (queue, name, args, next_execution_at, created_at, metadata)
				select ?, ?, a::json, {due}, {now}, ?::json
				  from unnest(?::text[]) as a
				returning id
				""");
		this.insertManyWithKeys = of(sql, """
				insert into {schema}.gator_job
				       (queue, name, args, next_execution_at, created_at, metadata,
				        batch_key, unique_key, unique_until_started)
				select ?, ?, a::json, {due}, {now}, ?::json, b, u, ?
				  from unnest(?::text[], ?::text[], ?::text[]) as r(a, b, u)
				on conflict (unique_key) where unique_key is not null do nothing
				returning id, unique_key
				""");
		// The times are in COPY's binary form, which spares the server from parsing a
		// text in each row.
		this.beforeCopy = of(sql, """
				select nextval(pg_get_serial_sequence('{schema}.gator_job', 'id')),
				       (extract(epoch from {now}) * 1000000)::bigint - 946684800000000,
				       (extract(epoch from {due}) * 1000000)::bigint - 946684800000000
				""");
		this.copy = of(sql, """
				copy {schema}.gator_job (queue, name, metadata, created_at, next_execution_at, batch_key, args)
				from stdin (format binary)
				""");
		// If nobody took an id since the copy began, the last id says them all. Otherwise
		// the rows tell: the last one is this session's, the others of its transaction.
		this.copiedIds = of(sql, """
				select l.id,
				       case when l.id - c.before <> c.rows then array(
				           select j.id
				             from {schema}.gator_job j
				            where j.id > c.before and j.id <= l.id
				              and j.xmin = (select own.xmin from {schema}.gator_job own where own.id = l.id)
				            order by j.id) end
				  from (select currval(pg_get_serial_sequence('{schema}.gator_job', 'id'))) as l (id),
				       (select ?::bigint, ?::bigint) as c (before, rows)
				""");
		this.findUnique = of(sql, """
				select unique_key, id
				  from {schema}.gator_job
				 where unique_key = any(?::text[])
				""");
	}

	/**
	 * Set the two parameters that say when a job is due.
	 * @param statement the statement
	 * @param index the first of them
	 * @param job the job
	 * @throws SQLException if the statement does not take them
	 */
	static void setTime(PreparedStatement statement, int index, NewJob job) throws SQLException {
		statement.setObject(index, Db.time(job.at()), Types.TIMESTAMP_WITH_TIMEZONE);
		statement.setObject(index + 1, Db.seconds(job.delay()), Types.DOUBLE);
	}

	/**
	 * Make sure that no job was lost.
	 * @param job what they have in common
	 * @param expected how many were to be written
	 * @param written how many were
	 * @throws SQLException if some were not, though the server has not refused them
	 */
	static void requireAll(NewJob job, long expected, long written) throws SQLException {
		if (written != expected) {
			throw new SQLException("Of " + expected + " jobs " + job.name() + " the database has written " + written
					+ " without an error: a trigger, a rule or a policy on gator_job keeps rows out", "27000");
		}
	}

	private static String of(Sql sql, String template) {
		return sql.of(template.replace("{due}", DUE));
	}

}
