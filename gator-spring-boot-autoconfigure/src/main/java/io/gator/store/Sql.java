package io.gator.store;

/**
 * All statements of Gator, for one schema and one clock. Placeholders in braces are
 * replaced once, when this is created; the schema is a validated identifier.
 * <p>
 * {@code {now}} is the database's clock at the start of the statement, not of the
 * transaction: a delay counts from the dispatch, however long its transaction has been
 * open. It must be stable within a statement, or the index on the due time is not used.
 */
final class Sql {

	static final String CLOCK = "statement_timestamp()";

	private final String schema;

	private final String clock;

	final String insert;

	final String insertUnique;

	final String insertMany;

	final String insertManyUnique;

	final String findUnique;

	final String registerQueues;

	final String claim;

	final String claimBatches;

	final String nextDue;

	final String succeed;

	final String succeedWithoutHistory;

	final String succeedInChain;

	final String requeue;

	final String bury;

	final String cancel;

	final String reclaimLost;

	final String notify;

	final String registerWorker;

	final String beat;

	final String retireWorker;

	final String lockWorker;

	final String markLocked;

	final String findDeadWorkers;

	final String findOrphans;

	final String findReservedBy;

	final String rescue;

	final String forgetWorkers;

	Sql(String schema, String clock) {
		this.schema = schema;
		this.clock = clock;
		this.insert = of(
				"""
						insert into {schema}.gator_job
						       (queue, name, args, next_execution_at, created_at, batch_key, metadata)
						values (?, ?, ?::json, coalesce(?::timestamptz, {now} + ?::float8 * interval '1 second'), {now}, ?, ?::json)
						returning id
						""");
		this.insertUnique = of(
				"""
						insert into {schema}.gator_job
						       (queue, name, args, next_execution_at, created_at, batch_key, metadata,
						        unique_key, unique_until_started)
						values (?, ?, ?::json, coalesce(?::timestamptz, {now} + ?::float8 * interval '1 second'), {now}, ?, ?::json,
						        ?, ?)
						on conflict (unique_key) where unique_key is not null do nothing
						returning id
						""");
		// Ids are given in the order of the array: the caller's order is the order of the
		// rows.
		this.insertMany = of("""
				insert into {schema}.gator_job
				       (queue, name, args, next_execution_at, created_at, metadata)
				select ?, ?, a::json, coalesce(?::timestamptz, {now} + ?::float8 * interval '1 second'), {now}, ?::json
				  from unnest(?::text[]) as a
				returning id
				""");
		this.insertManyUnique = of(
				"""
						insert into {schema}.gator_job
						       (queue, name, args, next_execution_at, created_at, metadata,
						        batch_key, unique_key, unique_until_started)
						select ?, ?, a::json, coalesce(?::timestamptz, {now} + ?::float8 * interval '1 second'), {now}, ?::json, b, u, ?
						  from unnest(?::text[], ?::text[], ?::text[]) as r(a, b, u)
						on conflict (unique_key) where unique_key is not null do nothing
						returning id, unique_key
						""");
		this.findUnique = of("""
				select unique_key, id
				  from {schema}.gator_job
				 where unique_key = any(?::text[])
				""");
		this.registerQueues = of("""
				insert into {schema}.gator_queue (name)
				select name from unnest(?::text[]) as q(name)
				 where not exists (select 1 from {schema}.gator_queue g where g.name = q.name)
				on conflict do nothing
				""");
		this.claim = claim();
		this.claimBatches = claimBatches();
		this.nextDue = of("""
				select date_part('epoch', min(c.next_execution_at)) - date_part('epoch', {now})
				  from unnest(?::text[]) as q(name)
				 cross join lateral (select j.next_execution_at
				                       from {schema}.gator_job j
				                      where j.queue = q.name
				                        and j.next_execution_at is not null
				                        and j.next_execution_at > {now}
				                      order by j.next_execution_at
				                      limit 1) c
				""");
		this.succeed = succeed();
		this.succeedWithoutHistory = of("""
				with r as materialized (
				    select * from unnest(?::bigint[], ?::bigint[]) as r(id, lease)
				), gone as (
				    delete from {schema}.gator_job j
				     using r
				     where j.id = r.id
				       and j.lease = r.lease
				    returning j.id
				)
				select id from r where id not in (select id from gone)
				""");
		this.succeedInChain = succeedInChain();
		this.requeue = requeue();
		this.bury = bury();
		this.cancel = of("""
				with r as materialized (
				    select * from unnest(?::bigint[], ?::bigint[], ?::text[]) as r(id, lease, reason)
				), gone as (
				    delete from {schema}.gator_job j
				     using r
				     where j.id = r.id
				       and j.lease = r.lease
				    returning j.*, r.reason
				), kept as (
				    insert into {schema}.gator_job_history
				           (id, queue, name, state, attempts, lease, created_at, started_at, finished_at,
				            error_details, unique_key, metadata)
				    select id, queue, name, 'CANCELLED', attempts, lease, created_at, reserved_at, {now},
				           coalesce(reason, error_details), unique_key, metadata
				      from gone
				)
				select id from r where id not in (select id from gone)
				""");
		// What a pool holds without knowing, because the answer to a claim was lost.
		// Nobody started these, so they are not charged.
		this.reclaimLost = of("""
				with lost as materialized (
				    select j.ctid as tid
				      from {schema}.gator_job j
				     where j.reserved_by = ?
				       and not j.id = any(?::bigint[])
				     order by j.id
				       for update skip locked
				)
				update {schema}.gator_job j
				   set attempts = attempts - 1,
				       lease = lease + 1,
				       reserved_by = null,
				       reserved_at = null
				 where j.ctid = any(array(select tid from lost))
				""");
		// A hint need not survive a crash: without this each one waits for the disk.
		this.notify = of("""
				select pg_notify(?, ?), set_config('synchronous_commit', 'off', true)
				""");
		this.registerWorker = of("""
				insert into {schema}.gator_worker
				       (pool, host, pid, heartbeat, lease, queues, names, slots, started_at, beat_at)
				values (?, ?, ?, ?::float8 * interval '1 second', ?::float8 * interval '1 second',
				        ?::text[], ?::text[], ?, {now}, {now})
				returning id
				""");
		this.beat = beat();
		this.retireWorker = of("""
				delete from {schema}.gator_worker
				 where id = ?
				""");
		this.lockWorker = of("""
				select pg_try_advisory_lock(hashtext('gator.{name}'), ?)
				""");
		this.markLocked = of("""
				update {schema}.gator_worker
				   set locked = ?
				 where id = ?
				""");
		this.findDeadWorkers = findDeadWorkers();
		// A claim that reached the server after its pool was forgotten: it was frozen, or
		// cut off, between its last look and the claim. Reads the table.
		this.findOrphans = of("""
				select distinct j.reserved_by
				  from {schema}.gator_job j
				 where j.reserved_by is not null
				   and not exists (select 1 from {schema}.gator_worker w where w.id = j.reserved_by)
				""");
		this.findReservedBy = of("""
				select j.id
				  from {schema}.gator_job j
				 where j.reserved_by = any(?::bigint[])
				""");
		this.rescue = rescue();
		this.forgetWorkers = of("""
				delete from {schema}.gator_worker w
				 where w.id = any(?::bigint[])
				   and w.beat_at < {now} - 3 * w.heartbeat
				""");
	}

	/**
	 * Queue after queue in the order given, of each the due jobs first and then the ready
	 * ones, each with its quota and all with one limit, which is what makes the round
	 * work-conserving: a queue that does not use its share leaves room for those behind
	 * it. A due job never goes before an immediate one of a queue that stands earlier.
	 * <ul>
	 * <li>The lateral sub-selects stop at their limit and lock no row beyond. As
	 * {@code in (select … limit …)} the planner may run them again for each row and claim
	 * without any limit. A {@code union all} under a limit is read row by row and part
	 * after part, so ready jobs are locked only where due ones leave room.</li>
	 * <li>{@code name = any(…)} leaves jobs alone that only another version of the
	 * application knows.</li>
	 * <li>The queue of ready jobs is named as a range, and the order names it too. With
	 * {@code queue = …} and {@code order by id} the planner may take the primary key for
	 * the order instead, and walk over all jobs of another queue to find ten of this
	 * one.</li>
	 * <li>{@code after} skips the dead rows at the head of the index, which cannot be
	 * vacuumed while somebody holds an old snapshot.</li>
	 * <li>The update goes by {@code ctid}: the rows are locked, so it cannot change, and
	 * there is no plan for it that reads the whole table, whatever the statistics
	 * say.</li>
	 * <li>{@code unique_key} is written, though an index names it: PostgreSQL compares
	 * values, and for all but jobs unique until they start it stays the same.</li>
	 * </ul>
	 */
	private String claim() {
		return of("""
				with q as materialized (
				    select *
				      from unnest(?::text[], ?::int[], ?::bigint[], ?::float8[]) as q(name, quota, after, due_after)
				), chosen as materialized (
				    select c.tid
				      from q
				     cross join lateral (select tid
				                           from (select j.ctid as tid
				                                   from {schema}.gator_job j
				                                  where j.queue = q.name
				                                    and j.next_execution_at is not null
				                                    and j.next_execution_at >= to_timestamp(q.due_after)
				                                    and j.next_execution_at <= {now}
				                                    and j.reserved_by is null
				                                    and j.name = any(?::text[])
				                                  order by j.next_execution_at, j.id
				                                  limit q.quota
				                                    for update skip locked) due
				                          union all
				                         select tid
				                           from (select j.ctid as tid
				                                   from {schema}.gator_job j
				                                  where (j.queue, j.id) > (q.name, q.after)
				                                    and j.queue <= q.name
				                                    and j.next_execution_at is null
				                                    and j.reserved_by is null
				                                    and j.name = any(?::text[])
				                                  order by j.queue, j.id
				                                  limit q.quota
				                                    for update skip locked) ready
				                          limit q.quota) c
				     limit ?
				)
				update {schema}.gator_job j
				   set lease = lease + 1,
				       attempts = attempts + 1,
				       reserved_by = ?,
				       reserved_at = {now},
				       unique_key = case when unique_until_started then null else unique_key end
				 where j.ctid = any(array(select tid from chosen))
				""" + CLAIMED);
	}

	/**
	 * What a claim returns. Times are numbers, because reading a number costs a tenth of
	 * reading a timestamp.
	 */
	private static final String CLAIMED = """
			returning j.id, j.queue, j.name, j.args, j.attempts, j.lease,
			          date_part('epoch', j.created_at) as created_at,
			          date_part('epoch', j.next_execution_at) as due_at,
			          date_part('epoch', {now}) as claimed_at,
			          j.cancel_requested, j.error_details is not null as failed_before,
			          j.batch_key, j.batch_limit, j.metadata
			""";

	/**
	 * Batches of buffered jobs. First only a look, without locks, at the head of the
	 * line: items of one key, and of one limit after failures, are a group; a group is
	 * ready when it is full or its oldest item has waited long enough. Then the oldest
	 * ready group of each job is locked and claimed.
	 */
	private String claimBatches() {
		return of(
				"""
						with r as materialized (
						    select string_to_array(names, ',') as names, size, max_wait, wide, n
						      from unnest(?::text[], ?::int[], ?::float8[], ?::int[]) with ordinality as r(names, size, max_wait, wide, n)
						), waiting as materialized (
						    select r.n, c.id, c.since, c.batch_key, least(coalesce(c.batch_limit, r.size), r.size) as most, r.max_wait
						      from r
						     cross join unnest(?::text[]) as q(name)
						     cross join lateral (
						           (select j.id, j.next_execution_at as since, j.batch_key, j.batch_limit
						              from {schema}.gator_job j
						             where j.queue = q.name
						               and j.next_execution_at is not null
						               and j.next_execution_at <= {now}
						               and j.reserved_by is null
						               and j.name = any(r.names)
						             order by j.next_execution_at, j.id
						             limit r.wide)
						           union all
						           (select j.id, j.created_at, j.batch_key, j.batch_limit
						              from {schema}.gator_job j
						             where (j.queue, j.id) > (q.name, 0)
						               and j.queue <= q.name
						               and j.next_execution_at is null
						               and j.reserved_by is null
						               and j.name = any(r.names)
						             order by j.queue, j.id
						             limit r.wide)) c
						), ready as materialized (
						    select distinct on (n) n, batch_key, most
						      from waiting
						     group by n, batch_key, most
						    having count(*) >= most
						        or min(since) <= {now} - min(max_wait) * interval '1 second'
						     order by n, min(since)
						), held as materialized (
						    select c.tid
						      from ready b
						     cross join lateral (select j.ctid as tid
						                           from {schema}.gator_job j
						                          where j.id = any(array(select w.id
						                                                   from waiting w
						                                                  where w.n = b.n
						                                                    and w.batch_key is not distinct from b.batch_key
						                                                    and w.most = b.most
						                                                  order by w.since, w.id
						                                                  limit b.most))
						                            and j.reserved_by is null
						                          order by j.id
						                            for update skip locked) c
						)
						update {schema}.gator_job j
						   set lease = lease + 1,
						       attempts = attempts + 1,
						       reserved_by = ?,
						       reserved_at = {now},
						       unique_key = case when unique_until_started then null else unique_key end
						 where j.ctid = any(array(select tid from held))
						"""
						+ CLAIMED);
	}

	private String succeed() {
		return of("""
				with r as materialized (
				    select * from unnest(?::bigint[], ?::bigint[], ?::text[]) as r(id, lease, result)
				), gone as (
				    delete from {schema}.gator_job j
				     using r
				     where j.id = r.id
				       and j.lease = r.lease
				    returning j.id, j.queue, j.name, j.attempts, j.lease, j.created_at, j.reserved_at,
				              j.unique_key, j.metadata, r.result
				), kept as (
				    insert into {schema}.gator_job_history
				           (id, queue, name, state, attempts, lease, created_at, started_at, finished_at,
				            unique_key, result, metadata)
				    select id, queue, name, 'SUCCEEDED', attempts, lease, created_at, reserved_at, {now},
				           unique_key, result::json, metadata
				      from gone
				)
				select id from r where id not in (select id from gone)
				""");
	}

	/** The next link begins in the statement that ends its predecessor, or not at all. */
	private String succeedInChain() {
		return of(
				"""
						with r as materialized (
						    select *
						      from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
						           as r(id, lease, result, next_queue, next_name, next_args, next_metadata)
						), gone as (
						    delete from {schema}.gator_job j
						     using r
						     where j.id = r.id
						       and j.lease = r.lease
						    returning j.id, j.queue, j.name, j.attempts, j.lease, j.created_at, j.reserved_at,
						              j.unique_key, j.metadata, r.result, r.next_queue, r.next_name, r.next_args, r.next_metadata
						), kept as (
						    insert into {schema}.gator_job_history
						           (id, queue, name, state, attempts, lease, created_at, started_at, finished_at,
						            unique_key, result, metadata)
						    select id, queue, name, 'SUCCEEDED', attempts, lease, created_at, reserved_at, {now},
						           unique_key, result::json, metadata
						      from gone
						     where ?
						), next as (
						    insert into {schema}.gator_job (queue, name, args, metadata, created_at)
						    select next_queue, next_name, next_args::json, next_metadata::json, {now}
						      from gone
						     where next_name is not null
						)
						select id from r where id not in (select id from gone)
						""");
	}

	/**
	 * For all ways back: a retry, a snooze, a release. Without a delay the job keeps its
	 * place, and no index is touched.
	 */
	private String requeue() {
		return of("""
				with r as materialized (
				    select *
				      from unnest(?::bigint[], ?::bigint[], ?::float8[], ?::text[], ?::text[], ?::int[], ?::int[])
				           as r(id, lease, delay, queue, error, uncharged, batch_limit)
				), back as (
				    update {schema}.gator_job j
				       set next_execution_at = case when r.delay is null then j.next_execution_at
				                                    else {now} + r.delay * interval '1 second' end,
				           queue = coalesce(r.queue, j.queue),
				           error_details = coalesce(r.error, j.error_details),
				           attempts = j.attempts - r.uncharged,
				           last_executed_at = case when r.uncharged = 0 then j.reserved_at else j.last_executed_at end,
				           batch_limit = coalesce(r.batch_limit, j.batch_limit),
				           lease = j.lease + 1,
				           reserved_by = null,
				           reserved_at = null
				      from r
				     where j.id = r.id
				       and j.lease = r.lease
				    returning j.id
				)
				select id from r where id not in (select id from back)
				""");
	}

	private String bury() {
		return of(
				"""
						with r as materialized (
						    select *
						      from unnest(?::bigint[], ?::bigint[], ?::text[], ?::int[], ?::text[], ?::text[], ?::text[], ?::text[])
						           as r(id, lease, error, uncharged, next_queue, next_name, next_args, next_metadata)
						), gone as (
						    delete from {schema}.gator_job j
						     using r
						     where j.id = r.id
						       and j.lease = r.lease
						    returning j.*, r.error, r.uncharged, r.next_queue, r.next_name, r.next_args, r.next_metadata
						), dead as (
						    insert into {schema}.gator_dead_job
						           (id, queue, name, args, attempts, lease, created_at, last_executed_at, died_at,
						            error_details, unique_key, metadata)
						    select id, queue, name, args, attempts - uncharged, lease, created_at,
						           case when uncharged = 0 then reserved_at else last_executed_at end, {now},
						           coalesce(error, error_details), unique_key, metadata
						      from gone
						), next as (
						    insert into {schema}.gator_job (queue, name, args, metadata, created_at)
						    select next_queue, next_name, next_args::json, next_metadata::json, {now}
						      from gone
						     where next_name is not null
						)
						select id from r where id not in (select id from gone)
						""");
	}

	/**
	 * One statement a second for a pool: says that it lives, takes the cancellations left
	 * for it, and learns which queues exist, which are paused, and whether another pool
	 * may be dead.
	 */
	private String beat() {
		return of("""
				with mine as materialized (
				    select id, cancels
				      from {schema}.gator_worker
				     where id = ?
				       for update
				), beat as (
				    update {schema}.gator_worker w
				       set beat_at = {now},
				           busy = ?,
				           queues = ?::text[],
				           cancels = '{}'
				      from mine
				     where w.id = mine.id
				    returning w.id
				)
				select 'beat' as what, null as name, false as flag, cancels as ids from mine
				union all
				select 'queue', name, paused_at is not null, null from {schema}.gator_queue
				union all
				select 'missing', null, true, null
				  from {schema}.gator_worker
				 where beat_at < {now} - 3 * heartbeat
				   and id <> ?
				having count(*) > 0
				""");
	}

	/**
	 * A pool is dead when its lease is over, or when it has missed three beats and the
	 * lock that its session held is free. After a restart of the server nobody has beaten
	 * for a while and all locks are free, so everybody who has not been heard since first
	 * gets the time to come back.
	 */
	private String findDeadWorkers() {
		return of(
				"""
						select w.id
						  from {schema}.gator_worker w
						 where w.id <> all(?::bigint[])
						   and (w.beat_at > pg_postmaster_start_time()
						        or pg_postmaster_start_time() < {now} - interval '10 seconds')
						   and (w.beat_at < {now} - w.lease
						        or w.beat_at < {now} - 3 * w.heartbeat
						           and w.locked
						           and not exists (select 1
						                             from pg_locks l
						                            where l.locktype = 'advisory'
						                              and l.database = (select oid from pg_database where datname = current_database())
						                              and l.classid::bigint = (hashtext('gator.{name}')::bigint & 4294967295)
						                              and l.objid::bigint = w.id
						                              and l.objsubid = 2
						                              and l.granted))
						""");
	}

	/**
	 * Checks again, with its rows locked, that the pool is still silent: it may have
	 * beaten since it was found. An identity without a row never comes back.
	 */
	private String rescue() {
		return of("""
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
				       lease = lease + 1,
				       reserved_by = null,
				       reserved_at = null
				 where j.ctid = any(array(select tid from held))
				returning j.id
				""");
	}

	String of(String template) {
		return template.replace("{schema}", '"' + this.schema + '"')
			.replace("{name}", this.schema)
			.replace("{now}", this.clock);
	}

}
