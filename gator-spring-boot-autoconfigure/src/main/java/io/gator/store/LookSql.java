package io.gator.store;

/**
 * The statements that look for work without reserving it. Where they look for what a
 * claim would take, they are made of the parts of {@link ClaimSql}.
 */
final class LookSql {

	final String firstWaiting;

	final String look;

	final String nextDue;

	final String ends;

	final String newest;

	LookSql(Sql sql) {
		this.firstWaiting = ClaimSql.ofRequests(sql, """
				with r as materialized (
				    select ?::text[] as names, queue, after
				      from unnest(?::text[], ?::bigint[]) as r(queue, after)
				)
				select r.queue, c.id
				  from r
				 cross join lateral (select j.id
				   {ready}
				  order by j.queue, j.id
				  limit 1) c
				""");
		// For a pool that has nothing to do. Each part walks the same index as a claim,
		// and ends with the first row that the claim would take.
		this.look = ClaimSql.ofRequests(sql, """
				with r as materialized (
				    select n, string_to_array(names, ',') as names, queue, after, due_after
				      from unnest(?::int[], ?::text[], ?::text[], ?::bigint[], ?::float8[])
				           as r(n, names, queue, after, due_after)
				)
				select distinct r.n
				  from r
				 cross join lateral (
				       {any}) c
				""");
		// Looks from the last look on, not from now on: a job that falls due between the
		// last claim and this statement would be found by neither. If the clock was put
		// back, the last look is in the future; then it looks from now on.
		// Jobs that this application does not know are passed over, but no more than a
		// hundred in each queue: then it is time to look again when the last of these is
		// due. They are numbered by rows: else servers before 16 read all jobs that are
		// due at the same instant, as a bulk with a delay leaves them.
		this.nextDue = sql.of("""
				select date_part('epoch', {now}),
				       date_part('epoch', min(c.due_at)) - date_part('epoch', {now})
				  from (select ?::text[] as names, ?::text[] as queues, least(to_timestamp(?), {now}) as since) r
				 cross join unnest(r.queues) as q(name)
				 cross join lateral (select w.due_at
				                       from (select j.next_execution_at as due_at,
				                                    j.name = any(r.names) as known,
				                                    row_number() over (order by j.next_execution_at
				                                                             rows unbounded preceding) as place
				                               from {schema}.gator_job j
				                              where j.queue = q.name
				                                and j.next_execution_at is not null
				                                and j.next_execution_at > r.since
				                                and j.reserved_by is null
				                              order by j.next_execution_at
				                              limit 100) w
				                      where w.known
				                         or w.place = 100
				                      order by w.due_at
				                      limit 1) c
				""");
		// Must go by the index of ready jobs. The primary key may lead past millions of
		// jobs of other queues before it comes to the last one of a small queue.
		this.ends = sql.of("""
				select q.name, c.id, date_part('epoch', {now})
				  from unnest(?::text[]) as q(name)
				  left join lateral (select j.id
				                       from {schema}.gator_job j
				                      where (j.queue, j.id) > (q.name, ?)
				                        and j.queue <= q.name
				                        and j.next_execution_at is null
				                      order by j.queue desc, j.id desc
				                      limit 1) c on true
				""");
		// Ids are given to transactions that may be rolled back or still run, but none
		// after this one is claimed. The view shows no value, and no error, to those who
		// have no right to the sequence.
		this.newest = sql.of("""
				select max(s.last_value), date_part('epoch', {now})
				  from pg_catalog.pg_class c
				  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
				  join pg_catalog.pg_sequences s on s.schemaname = n.nspname and s.sequencename = c.relname
				 where c.oid = pg_get_serial_sequence('{schema}.gator_job', 'id')::regclass
				""");
	}

}
