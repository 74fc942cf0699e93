package io.gator.store;

/**
 * The statements that keep the history short and make the ticks of recurring jobs.
 */
final class UpkeepSql {

	final String prune;

	final String sweep;

	final String schedule;

	final String plan;

	final String tick;

	UpkeepSql(Sql sql) {
		this.prune = prune(sql, "h.finished_at < {now} - ?::float8 * interval '1 second'");
		this.sweep = sweep(sql);
		this.schedule = sql.of("""
				select {now} as now, r.name, r.schedule, r.next_tick
				  from (select 1) one
				  left join {schema}.gator_recurring r
				    on r.name = any(?::text[])
				   and isfinite(r.next_tick)
				""");
		this.plan = sql.of("""
				insert into {schema}.gator_recurring as r (name, schedule, next_tick)
				values (?, ?, ?)
				on conflict (name) do update
				   set schedule = excluded.schedule,
				       next_tick = excluded.next_tick
				 where r.schedule <> excluded.schedule
				    or r.next_tick is null
				    or not isfinite(r.next_tick)
				    or r.next_tick > ? and {now} <= ?
				""");
		// The process that finds the tick as it was makes it. It locks the row first:
		// another process waits, and then finds the row changed. No process waits for a
		// lock for more than a second: a transaction that takes its time may hold a
		// unique key, and the same thread has rescues to do.
		this.tick = sql.of("""
				with due as materialized (
				    select name, last_job_id
				      from {schema}.gator_recurring
				     where name = ?
				       and next_tick = ?
				       and set_config('lock_timeout', '1s', true) is not null
				       for update
				), job as (
				    insert into {schema}.gator_job (queue, name, args, created_at, unique_key, unique_until_started)
				    select ?, name, '[]', {now}, ?, ?
				      from due
				     where ?
				       and (? or not exists (select 1 from {schema}.gator_job j where j.id = due.last_job_id))
				    on conflict (unique_key) where unique_key is not null do nothing
				    returning id
				)
				update {schema}.gator_recurring r
				   set last_tick = case when ? then r.next_tick else r.last_tick end,
				       next_tick = ?,
				       last_job_id = coalesce((select id from job), r.last_job_id)
				  from due
				 where r.name = due.name
				returning (select id from job)
				""");
	}

	/**
	 * Deletes in chunks, so that no lock is held for long, and only in the process that
	 * gets the advisory lock. The age is checked again where rows are deleted: should
	 * somebody have partitioned the table, each place is there once in each partition.
	 */
	private static String prune(Sql sql, String old) {
		return sql.of("""
				with turn as materialized (
				    select pg_try_advisory_xact_lock(hashtext('gator.{schemaName}.history')) as mine
				), old as materialized (
				    select h.ctid as tid
				      from {schema}.gator_job_history h
				     where (select mine from turn)
				       and %s
				     limit ?
				)
				delete from {schema}.gator_job_history h
				 where h.ctid = any(array(select tid from old))
				   and h.finished_at + interval '0' < {now} - ?::float8 * interval '1 second'
				""".formatted(old));
	}

	/**
	 * The BRIN index does not help: once pages are reused, each of its ranges covers
	 * nearly all times and none is excluded. The added zero keeps the planner from using
	 * it.
	 */
	private static String sweep(Sql sql) {
		return prune(sql, """
				h.finished_at + interval '0' < {now} - ?::float8 * interval '1 second'
				       and h.ctid >= ?::tid
				       and h.ctid < ?::tid""");
	}

}
