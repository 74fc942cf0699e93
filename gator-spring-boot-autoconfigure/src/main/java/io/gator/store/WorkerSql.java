package io.gator.store;

/**
 * The statements of pools: who lives, which queues there are, and whose jobs go back.
 */
final class WorkerSql {

	final String registerQueues;

	final String registerHeardQueues;

	final String registerMissingQueues;

	final String forgetUnusedQueues;

	final String registerWorker;

	final String beat;

	final String retireWorker;

	final String findFutureBeats;

	final String redateBeats;

	final String findDeadWorkers;

	final String isOldest;

	final String rescue;

	final String forgetWorkers;

	WorkerSql(Sql sql) {
		this.registerQueues = registerQueues(sql);
		// Arrays of one name: to find an equal, a plan that was made for a small table
		// reads all jobs.
		this.registerHeardQueues = sql.of("""
				insert into {schema}.gator_queue (name)
				select name from unnest(?::text[]) as q(name)
				 where not exists (select 1 from {schema}.gator_queue g where g.name = q.name)
				   and (exists (select 1 from {schema}.gator_job j
				                 where j.queue = any(array[q.name]) and j.next_execution_at is null)
				        or exists (select 1 from {schema}.gator_job j
				                    where j.queue = any(array[q.name]) and j.next_execution_at is not null))
				on conflict do nothing
				""");
		this.registerMissingQueues = registerMissingQueues(sql);
		this.forgetUnusedQueues = forgetUnusedQueues(sql);
		this.registerWorker = sql.of("""
				insert into {schema}.gator_worker
				       (pool, host, pid, heartbeat, lease, queues, names, slots, started_at, beat_at)
				values (?, ?, ?, ?::float8 * interval '1 second', ?::float8 * interval '1 second',
				        ?::text[], ?::text[], ?, {now}, {now})
				returning id
				""");
		this.beat = beat(sql);
		this.retireWorker = sql.of("""
				delete from {schema}.gator_worker
				 where id = ?
				""");
		this.findFutureBeats = findFutureBeats(sql);
		this.redateBeats = redateBeats(sql);
		this.findDeadWorkers = findDeadWorkers(sql);
		this.isOldest = sql.of("""
				select coalesce(min(id) = any(?::bigint[]), false)
				  from {schema}.gator_worker
				 where beat_at >= {now} - lease
				""");
		this.rescue = rescue(sql);
		this.forgetWorkers = sql.of("""
				delete from {schema}.gator_worker w
				 where w.id = any(?::bigint[])
				   and w.beat_at < {now} - 3 * w.heartbeat
				""");
	}

	/**
	 * Writes new names, and of the others that they are in use, once an hour. Many
	 * processes name the same queue at the same time: one of them writes, and the others
	 * do not wait for it.
	 */
	private static String registerQueues(Sql sql) {
		return sql.of("""
				with named as materialized (
				    select ?::text[] as names
				), used as materialized (
				    select g.name
				      from {schema}.gator_queue g
				     where g.name = any((select names from named)::text[])
				       and g.used_at < {now} - interval '1 hour'
				       for update skip locked
				), touched as (
				    update {schema}.gator_queue g
				       set used_at = {now}
				      from used
				     where g.name = used.name
				)
				insert into {schema}.gator_queue (name)
				select q.name
				  from named
				 cross join unnest(names) as q(name)
				 where not exists (select 1 from {schema}.gator_queue g where g.name = q.name)
				on conflict do nothing
				""");
	}

	/**
	 * Forgets names, but not those of queues that hold jobs, dead ones included, and not
	 * that a queue is paused. Each name is looked up along the indexes: left to itself
	 * the server may compare it with all jobs.
	 * <p>
	 * No index leads from a queue to its dead jobs, so all of them are read, and this is
	 * asked by every process every few minutes. So they are read only if a queue is
	 * unused but for them, and a queue that they keep is left alone for another day.
	 */
	private static String forgetUnusedQueues(Sql sql) {
		return sql.of("""
				with idle as materialized (
				    select g.name
				      from {schema}.gator_queue g
				     where g.used_at < {now} - interval '1 day'
				       and g.paused_at is null
				       and (select j.id
				              from {schema}.gator_job j
				             where (j.queue, j.id) > (g.name, 0)
				               and j.queue <= g.name
				               and j.next_execution_at is null
				             order by j.queue, j.id
				             limit 1) is null
				       and (select j.id
				              from {schema}.gator_job j
				             where j.queue between g.name and g.name
				               and j.next_execution_at is not null
				             order by j.queue, j.next_execution_at, j.id
				             limit 1) is null
				     limit 1000
				       for update skip locked
				), dead as materialized (
				    select distinct queue
				      from {schema}.gator_dead_job
				     where exists (select 1 from idle)
				), kept as (
				    update {schema}.gator_queue g
				       set used_at = {now}
				      from idle
				     where g.name = idle.name
				       and idle.name in (select queue from dead)
				)
				delete from {schema}.gator_queue g
				 using idle
				 where g.name = idle.name
				   and idle.name not in (select queue from dead)
				""");
	}

	/**
	 * Steps from queue to queue along the two indexes, however many live jobs there are
	 * in each. Of the dead ones there is no such index, so only the last ones are read:
	 * the statement must not fail for them.
	 */
	private static String registerMissingQueues(Sql sql) {
		return sql.of("""
				insert into {schema}.gator_queue (name)
				with recursive ready(name) as (
				    (select queue from {schema}.gator_job where next_execution_at is null order by queue limit 1)
				    union all
				    select (select j.queue
				              from {schema}.gator_job j
				             where j.next_execution_at is null
				               and j.queue > r.name
				             order by j.queue
				             limit 1)
				      from ready r
				     where r.name is not null
				), due(name) as (
				    (select queue from {schema}.gator_job where next_execution_at is not null order by queue limit 1)
				    union all
				    select (select j.queue
				              from {schema}.gator_job j
				             where j.next_execution_at is not null
				               and j.queue > d.name
				             order by j.queue
				             limit 1)
				      from due d
				     where d.name is not null
				)
				select name
				  from (select name from ready
				        union
				        select name from due
				        union
				        select queue
				          from (select queue from {schema}.gator_dead_job order by id desc limit {deadWalk}) dead) q
				 where name is not null
				   and not exists (select 1 from {schema}.gator_queue g where g.name = q.name)
				on conflict do nothing
				""");
	}

	/**
	 * One statement a second for a pool: says that it lives, takes the cancellations left
	 * for it, and learns which queues exist, which are paused, and now and then whether
	 * another pool may be dead. A cancellation stays until the next beat says that it was
	 * heard: the answer may be lost. The start of the server tells it from others; as a
	 * number, because its text is another one in each time zone, and sessions behind a
	 * pooler may have several.
	 * <p>
	 * The names of the queues are written only when they are others: many are stored
	 * apart from the row, and would be written there again with each beat.
	 */
	private static String beat(Sql sql) {
		return sql
			.of("""
					with mine as materialized (
					    select id, array(select c from unnest(cancels) as c where c <> all(?::bigint[])) as cancels
					      from {schema}.gator_worker
					     where id = ?
					       for update
					), beat as (
					    update {schema}.gator_worker w
					       set beat_at = {now},
					           slots = ?,
					           busy = ?,
					           queues = case served.names when w.queues then w.queues else served.names end,
					           cancels = mine.cancels
					      from mine
					     cross join (select ?::text[] as names) served
					     where w.id = mine.id
					    returning w.id
					)
					select 'beat' as what, null as name, false as flag, cancels as ids, {now} as at,
					       extract(epoch from pg_postmaster_start_time())::text as server
					  from mine
					union all
					select 'queue', name, paused_at is not null, null, null, null from {schema}.gator_queue
					union all
					select 'pools', null,
					       coalesce(bool_or((beat_at < {now} - 3 * heartbeat or beat_at > {now} + heartbeat) and id <> ?), false),
					       array[count(*)], null, null
					  from {schema}.gator_worker
					 where ?
					having ?
					""");
	}

	/**
	 * Beats from a time to come: of before the database's clock was put back. Not in the
	 * first ten seconds after a restart of the server, or they would pass for beats since
	 * then.
	 */
	private static String findFutureBeats(Sql sql) {
		return sql.of("""
				select id, beat_at::text
				  from {schema}.gator_worker
				 where id <> all(?::bigint[])
				   and beat_at > {now} + heartbeat
				   and pg_postmaster_start_time() not between {now} - interval '10 seconds' and {now}
				""");
	}

	/**
	 * Counts the silence of those pools from now on, which is never too early: the beat
	 * that was seen was made before this statement. Who has beaten since then, or is
	 * about to, needs it no more.
	 */
	private static String redateBeats(Sql sql) {
		return sql.of("""
				with seen as materialized (
				    select w.id
				      from {schema}.gator_worker w
				     where (w.id, w.beat_at) in (select s.id, s.beat_at::timestamptz
				                                   from unnest(?::bigint[], ?::text[]) as s(id, beat_at))
				       for update skip locked
				)
				update {schema}.gator_worker w
				   set beat_at = {now}
				  from seen
				 where w.id = seen.id
				""");
	}

	/**
	 * A pool is dead when its lease is over, or, where free locks are believed, when it
	 * has missed three beats and the lock that its session held is free. After a restart
	 * of the server nobody has beaten for a while and all locks are free, so everybody
	 * who has not been heard since first gets the time to come back. A start in the
	 * future was before the clock was put back, nobody knows how long: then the silence
	 * counts. Beats of before a step forward are counted by the clock without it.
	 * <p>
	 * A standby that was promoted may have been up for days. Its free locks say nothing
	 * about a pool whose last beat came with the replication: the pool has never had a
	 * session here, and may be waiting for an answer of the old server.
	 */
	private static String findDeadWorkers(Sql sql) {
		return sql
			.of("""
					select w.id
					  from {schema}.gator_worker w
					 cross join lateral (select case when w.beat_at <= ?::timestamptz
					                                 then ?::timestamptz else {now} end as now) as c
					 where w.id <> all(?::bigint[])
					   and (w.beat_at > pg_postmaster_start_time()
					        or w.beat_at < {now} - interval '10 seconds'
					           and pg_postmaster_start_time() not between {now} - interval '10 seconds' and {now})
					   and (w.beat_at < c.now - w.lease
					        or ?
					           and w.beat_at < c.now - 3 * w.heartbeat
					           and w.locked
					           and w.beat_at > coalesce(pg_last_xact_replay_timestamp(), '-infinity')
					           and not exists (select 1
					                             from pg_locks l
					                            where l.locktype = 'advisory'
					                              and l.database = (select oid from pg_database where datname = current_database())
					                              and l.classid::bigint = (hashtext('gator.{schemaName}')::bigint & 4294967295)
					                              and l.objid::bigint = w.id
					                              and l.objsubid = 2
					                              and l.granted))
					""");
	}

	/**
	 * Checks again, with its rows locked, that the pool is still silent: it may have
	 * beaten since it was found. An identity without a row never comes back.
	 */
	private static String rescue(Sql sql) {
		return sql.of("""
				with dead as materialized (
				    select w.id
				      from {schema}.gator_worker w
				     where w.id = any(?::bigint[])
				       and w.beat_at < {now} - 3 * w.heartbeat
				     order by w.id
				       for update
				), gone as materialized (
				    select g.id
				      from unnest(?::bigint[]) as g(id)
				     where not exists (select 1 from {schema}.gator_worker w where w.id = g.id)
				), held as materialized (
				    select j.ctid as tid
				      from {schema}.gator_job j
				     where j.id = any(?::bigint[])
				       and j.reserved_by in (select id from dead union all select id from gone)
				     order by j.id
				       for update skip locked
				)
				update {schema}.gator_job j
				   set next_execution_at = {now},
				       error_details = 'The worker that ran this attempt is gone: pool '
				           || coalesce((select w.pool || ' of process ' || w.pid || ' on ' || w.host
				                          from {schema}.gator_worker w where w.id = j.reserved_by), 'unknown'),
				       last_executed_at = reserved_at,
				       attempts = greatest({leastAttempts}, least(attempts, {mostAttempts})),
				""" + Sql.FREED + """
				 where j.ctid = any(array(select tid from held))
				returning j.id
				""");
	}

}
