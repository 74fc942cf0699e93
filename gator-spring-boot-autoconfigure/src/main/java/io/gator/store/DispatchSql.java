package io.gator.store;

/**
 * The statements that write new jobs.
 */
final class DispatchSql {

	/** When a job is due, null for now: the two parameters of {@link Db#setTime}. */
	private static final String DUE = "coalesce(?::timestamptz, {now} + ?::float8 * interval '1 second')";

	final String insert;

	final String insertUnique;

	final String insertMany;

	final String insertManyWithKeys;

	final String reserveIds;

	final String copy;

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
		// The sequence is looked up once: a cast in each call took longer than the call.
		// An array only if others took ids in between. Times in the binary form, which
		// spares COPY the reading of a text in each row.
		this.reserveIds = of(sql, """
				select min(id), case when max(id) - min(id) >= count(*) then array_agg(id) end,
				       (extract(epoch from {now}) * 1000000)::bigint - 946684800000000,
				       (extract(epoch from {due}) * 1000000)::bigint - 946684800000000
				  from (select nextval((select pg_get_serial_sequence('{schema}.gator_job', 'id')::regclass)),
				               generate_series(1, ?)) as ids (id)
				""");
		this.copy = of(sql, """
				copy {schema}.gator_job (id, queue, name, metadata, created_at, next_execution_at, batch_key, args)
				from stdin (format binary)
				""");
		this.findUnique = of(sql, """
				select unique_key, id
				  from {schema}.gator_job
				 where unique_key = any(?::text[])
				""");
	}

	private static String of(Sql sql, String template) {
		return sql.of(template.replace("{due}", DUE));
	}

}
