package io.gator.store;

/**
 * The statements behind {@link InsightStore}. None of them reads more than a bounded
 * number of rows, and each has a time-out besides. The queue of ready jobs is named as a
 * range, and the order names it too, for the reason that {@link ClaimSql#claim} has: the
 * planner may walk the primary key otherwise.
 */
final class InsightSql {

	final String exchange;

	final String turn;

	final String publish;

	final String count;

	final String table;

	final String pools;

	final String queue;

	final String held;

	final String ahead;

	final String lastDeaths;

	final String settings;

	final String withoutAutovacuum;

	final String hasSchemaVersion;

	final String schemaVersion;

	final String explainClaim;

	InsightSql(Sql sql) {
		// Rows that are older than ten intervals belong to processes that are gone; the
		// row of the cluster stays. A row from the future was written before the clock
		// was put back; it counts as being as old as it is ahead.
		this.exchange = sql.of("""
				with mine as (
				    insert into {schema}.gator_insight (key, taken_at, facts)
				    values (?, {now}, ?::json)
				    on conflict (key) do update set taken_at = excluded.taken_at, facts = excluded.facts
				), gone as (
				    delete from {schema}.gator_insight
				     where key <> 'cluster'
				       and abs(date_part('epoch', {now} - taken_at)) > 10 * ?::float8
				)
				select key, facts, date_part('epoch', {now} - taken_at),
				       greatest(0, date_part('epoch', {now})
				                   - coalesce((facts ->> 'countedAt')::float8, date_part('epoch', taken_at)))
				  from {schema}.gator_insight
				 where key = 'cluster'
				    or key <> ? and abs(date_part('epoch', {now} - taken_at)) < 3 * ?::float8
				""");
		this.turn = sql.of("""
				insert into {schema}.gator_insight as i (key, taken_at, facts)
				values ('cluster', {now}, '{}')
				on conflict (key) do update
				   set taken_at = excluded.taken_at
				 where abs(date_part('epoch', {now} - i.taken_at)) > ?::float8
				""");
		this.publish = sql.of("""
				update {schema}.gator_insight
				   set facts = (?::jsonb
				                || jsonb_build_object('countedAt', date_part('epoch', {now}) - ?::float8))::json,
				       taken_at = {now}
				 where key = 'cluster'
				""");
		this.count = count(sql);
		// An idle transaction that has written has no snapshot, but keeps dead rows by
		// its transaction id. The snapshot of a vacuum keeps no dead rows, however long
		// it takes.
		this.table = sql.of("""
				select s.n_live_tup, s.n_dead_tup, pg_total_relation_size(s.relid), s.n_tup_upd, s.n_tup_hot_upd,
				       date_part('epoch', {now} - s.last_autovacuum),
				       greatest(0,
				           (select max(date_part('epoch', {now} - a.xact_start))
				              from pg_stat_activity a
				             where coalesce(a.backend_xmin, a.backend_xid) is not null
				               and a.datname = current_database()
				               and a.backend_type <> 'autovacuum worker'
				               and a.pid <> pg_backend_pid()),
				           (select max(date_part('epoch', {now} - p.prepared))
				              from pg_prepared_xacts p
				             where p.database = current_database())),
				       pg_notification_queue_usage()
				  from pg_stat_user_tables s
				 where s.relid = '{schema}.gator_job'::regclass
				""");
		this.pools = sql.of("""
				select id, pool, host, pid, started_at, date_part('epoch', {now} - beat_at) as silence,
				       date_part('epoch', lease) as lease, queues, names, slots, busy
				  from {schema}.gator_worker
				 order by id
				""");
		this.queue = sql.of("""
				select {now} as now,
				       (select paused_at from {schema}.gator_queue where name = ?) as paused_at
				""");
		this.held = sql.of("""
				select j.name, count(*)
				  from unnest(?::text[]) as q(name)
				 cross join lateral (
				       (select j.name, j.reserved_by
				          from {schema}.gator_job j
				         where (j.queue, j.id) > (q.name, 0)
				           and j.queue <= q.name
				           and j.next_execution_at is null
				         order by j.queue, j.id
				         limit 2000)
				       union all
				       (select j.name, j.reserved_by
				          from {schema}.gator_job j
				         where j.queue = q.name
				           and j.next_execution_at is not null
				         order by j.next_execution_at
				         limit 2000)) j
				 where j.reserved_by = any(?::bigint[])
				 group by j.name
				 order by 2 desc, 1
				 limit 10
				""");
		// Due jobs go before those dispatched for now.
		this.ahead = sql.of("""
				select count(*)
				  from ((select 1
				           from {schema}.gator_job j
				          where j.queue = ?
				            and j.next_execution_at is not null
				            and j.next_execution_at <= {now}
				            and (?::timestamptz is null or j.next_execution_at < ?::timestamptz)
				            and j.reserved_by is null
				          order by j.next_execution_at
				          limit ?)
				        union all
				        (select 1
				           from {schema}.gator_job j
				          where (j.queue, j.id) < (?, ?)
				            and j.queue >= ?
				            and j.next_execution_at is null
				            and ?::timestamptz is null
				            and j.reserved_by is null
				          order by j.queue, j.id
				          limit ?)) a
				""");
		// There is no index on the time of death, because each death would have to pay
		// for it. So this looks only at the last ids.
		this.lastDeaths = sql.of("""
				select id, name, queue, attempts, died_at, left(split_part(error_details, e'\\n', 1), 500) as error
				  from (select * from {schema}.gator_dead_job order by id desc limit 1000) d
				 order by died_at desc
				 limit ?
				""");
		this.settings = sql.of("""
				select name, setting, date_part('epoch', {now})
				  from pg_settings
				 where name = any(?::text[])
				""");
		this.withoutAutovacuum = sql.of("""
				select c.relname
				  from pg_class c
				  join pg_namespace n on n.oid = c.relnamespace
				 where n.nspname = '{schemaName}'
				   and c.relname like 'gator\\_%'
				   and exists (select from pg_options_to_table(c.reloptions) as o
				                where o.option_name = 'autovacuum_enabled' and not o.option_value::boolean)
				 order by 1
				""");
		// If another role runs the migrations, this one may not be allowed to read their
		// history.
		this.hasSchemaVersion = sql
			.of("select h is not null and has_table_privilege(h, 'select') from to_regclass('{schema}."
					+ Migration.HISTORY_TABLE + "') as h");
		this.schemaVersion = sql.of("select version from {schema}." + Migration.HISTORY_TABLE
				+ " where success and version is not null order by installed_rank desc limit 1");
		this.explainClaim = "explain " + new ClaimSql(sql).claim;
	}

	/**
	 * Counts by walking, in each of the two indexes, the first rows of each queue, up to
	 * a limit. Claimed jobs are the oldest of their queue, so they are among these rows.
	 * The jobs beyond the limit are estimated as the planner would do it: the rows of the
	 * table times the frequency of the queue. If one of the two parts of a queue was
	 * counted to its end, the other part is the rest of that estimate. If neither was,
	 * the estimate is divided between them as immediate and delayed jobs are in the whole
	 * table.
	 * <p>
	 * The states are those of the view {@code gator_jobs}.
	 */
	private static String count(Sql sql) {
		return sql
			.of("""
					with q as materialized (
					    select name, paused_at is not null as paused
					      from {schema}.gator_queue
					     order by name
					     limit ?
					), walk as materialized (
					    select greatest(200, least(10000, 200000 / greatest(1, (select count(*) from q)))) as most
					), live as materialized (
					    select q.name, r.due, count(*) as walked,
					           count(*) filter (where r.state = 'WAITING') as waiting,
					           count(*) filter (where r.state = 'SCHEDULED') as scheduled,
					           count(*) filter (where r.state = 'RUNNING') as running,
					           count(*) filter (where r.state = 'FAILED') as failed,
					           max(r.age) as oldest
					      from q
					     cross join lateral (
					           (select false as due,
					                   case when j.reserved_by is not null then 'RUNNING' else 'WAITING' end as state,
					                   case when j.reserved_by is null
					                        then date_part('epoch', {now} - j.created_at) end as age
					              from {schema}.gator_job j
					             where (j.queue, j.id) > (q.name, 0)
					               and j.queue <= q.name
					               and j.next_execution_at is null
					             order by j.queue, j.id
					             limit (select most from walk))
					           union all
					           (select true,
					                   case when j.reserved_by is not null then 'RUNNING'
					                        when j.error_details is not null then 'FAILED'
					                        when j.next_execution_at > {now} then 'SCHEDULED'
					                        else 'WAITING' end,
					                   case when j.reserved_by is null and j.next_execution_at <= {now}
					                        then date_part('epoch', {now} - greatest(j.next_execution_at, j.created_at)) end
					              from {schema}.gator_job j
					             where j.queue = q.name
					               and j.next_execution_at is not null
					             order by j.next_execution_at, j.id
					             limit (select most from walk))) r
					     group by q.name, r.due
					), dead as materialized (
					    select queue as name, count(*) as dead
					      from (select queue from {schema}.gator_dead_job order by id desc limit {deadWalk}) d
					     group by queue
					), rows as materialized (
					    select c.relname,
					           case when c.reltuples < 0 or c.relpages = 0 then null
					                else c.reltuples / c.relpages * pg_relation_size(c.oid)
					                     / current_setting('block_size')::float8 end as rows
					      from pg_class c
					     where c.oid in ('{schema}.gator_job'::regclass, '{schema}.gator_dead_job'::regclass)
					), often as materialized (
					    select s.tablename, f.queue, f.freq
					      from pg_stats s
					     cross join lateral unnest(s.most_common_vals::text::text[], s.most_common_freqs) as f(queue, freq)
					     where s.schemaname = '{schemaName}'
					       and s.tablename in ('gator_job', 'gator_dead_job')
					       and s.attname = 'queue'
					), nulls as materialized (
					    select null_frac
					      from pg_stats
					     where schemaname = '{schemaName}' and tablename = 'gator_job' and attname = 'next_execution_at'
					)
					select q.name, q.paused, coalesce(l.due, false) as due, coalesce(l.walked, 0) as walked,
					       coalesce(l.waiting, 0) as waiting, coalesce(l.scheduled, 0) as scheduled,
					       coalesce(l.running, 0) as running, coalesce(l.failed, 0) as failed, l.oldest,
					       coalesce(d.dead, 0) as dead,
					       coalesce(l.walked, 0) >= (select most from walk) as capped,
					       case when coalesce(other.walked, 0) < (select most from walk)
					            then t.jobs - coalesce(other.walked, 0)
					            else t.jobs * case when l.due then 1 - (select null_frac from nulls)
					                               else (select null_frac from nulls) end end as estimate,
					       (select coalesce(sum(dead), 0) from dead) >= {deadWalk} as dead_capped,
					       (select rows from rows where relname = 'gator_dead_job')
					           * (select freq from often o
					               where o.tablename = 'gator_dead_job' and o.queue = q.name) as dead_estimate
					  from q
					  left join live l on l.name = q.name
					  left join live other on other.name = q.name and other.due <> l.due
					  left join dead d on d.name = q.name
					 cross join lateral (
					       select (select rows from rows where relname = 'gator_job')
					              * (select freq from often o where o.tablename = 'gator_job' and o.queue = q.name) as jobs) t
					 order by q.name, l.due
					""");
	}

}
