package io.gator.store;

/**
 * The statements that end an attempt. Each row is fenced by its lease. A settlement
 * returns the ids of the rows that were not this pool's any more.
 */
final class SettleSql {

	/** The ids whose rows were not there. They are looked for only if some were not. */
	private static final String LOST = """
			select id
			  from unnest((select ids from r)) as asked(id)
			 where (select count(*) from gone) < cardinality((select ids from r))
			   and id not in (select id from gone)
			""";

	/**
	 * Dispatches the next link in the statement that ends its predecessor: both or
	 * neither.
	 */
	private static final String NEXT = """
			next as (
			    insert into {schema}.gator_job (queue, name, args, batch_key, metadata, created_at)
			    select next_queue, next_name, next_args::json, next_batch_key, next_metadata::json, {now}
			      from gone
			     where next_name is not null
			)
			""";

	/**
	 * The row {@code j} of the request {@code r}, if it still has its lease. The id
	 * stands in an array of one. With a plain equality the server may also walk along the
	 * whole index to meet the requests, and does so for as long as the plan lives, if the
	 * table was nearly empty when the plan was made.
	 */
	private static final String FENCED = """
			     where j.id = any(array[r.id])
			       and j.lease = r.lease
			""";

	/** The ids whose rows were not there, of requests that come as rows. */
	private static final String UNMATCHED = """
			select id from r where id not in (select id from gone)
			""";

	final String succeed;

	final String succeedWithoutHistory;

	final String succeedInChain;

	final String requeue;

	final String bury;

	final String cancel;

	final String releaseLost;

	final String regroup;

	final String live;

	final String locked;

	SettleSql(Sql sql) {
		this.succeed = succeed(sql);
		this.succeedWithoutHistory = sql.of("""
				with r as materialized (
				    select ?::bigint[] as ids, ?::bigint[] as leases
				), gone as (
				    delete from {schema}.gator_job j
				     where j.id = any((select ids from r)::bigint[])
				       and j.lease = (select leases from r)[width_bucket(j.id, (select ids from r))]
				    returning j.id
				)
				""" + LOST);
		this.succeedInChain = succeedInChain(sql);
		this.requeue = requeue(sql);
		this.bury = bury(sql);
		this.cancel = sql.of("""
				with r as materialized (
				    select * from unnest(?::bigint[], ?::bigint[], ?::text[]) as r(id, lease, reason)
				), gone as (
				    delete from {schema}.gator_job j
				     using r
				""" + FENCED + """
				    returning j.*, r.reason
				), kept as (
				    insert into {schema}.gator_job_history
				           (id, queue, name, state, attempts, lease, created_at, started_at, finished_at,
				            error_details, unique_key, metadata)
				    select id, queue, name, 'CANCELLED', attempts, lease, created_at, reserved_at, {now},
				           coalesce(reason, error_details), unique_key, metadata
				      from gone
				)
				""" + UNMATCHED);
		// Releases jobs that a pool holds without knowing it, because the answer to a
		// claim was lost. Nobody has started them, so they are not charged. They were
		// found without a lock, so it is checked again that the pool holds them.
		this.releaseLost = sql.of("""
				with lost as materialized (
				    select j.ctid as tid
				      from {schema}.gator_job j
				     where j.id = any(?::bigint[])
				       and j.reserved_by = ?
				     order by j.id
				       for update skip locked
				)
				update {schema}.gator_job j
				   set attempts = greatest({leastAttempts}, least(j.attempts::bigint - 1, {mostAttempts})),
				""" + Sql.FREED + """
				 where j.ctid = any(array(select tid from lost))
				""");
		this.regroup = sql.of("""
				with r as materialized (
				    select * from unnest(?::bigint[], ?::bigint[], ?::text[]) as r(id, lease, batch_key)
				)
				update {schema}.gator_job j
				   set batch_key = r.batch_key,
				       attempts = j.attempts - 1,
				""" + Sql.FREED + """
				  from r
				""" + FENCED + """
				returning j.id
				""");
		this.live = sql.of("select id from {schema}.gator_job where id = any(?::bigint[])");
		this.locked = sql.of("""
				with r as materialized (
				    select ?::bigint[] as ids
				), free as materialized (
				    select j.id
				      from {schema}.gator_job j
				     where j.id = any((select ids from r)::bigint[])
				       for update skip locked
				)
				select j.id
				  from {schema}.gator_job j
				 where j.id = any((select ids from r)::bigint[])
				   and j.id not in (select id from free)
				""");
	}

	/**
	 * The two statements that end nearly all jobs, with and without a history, take their
	 * rows by one scan of the index for the whole array. They find the lease and the
	 * result of a row by its place in the array, which costs half as much as a join with
	 * the arrays. Ids must come in ascending order, and of two equal ids the one with the
	 * higher lease last.
	 */
	private static String succeed(Sql sql) {
		return sql.of("""
				with r as materialized (
				    select ?::bigint[] as ids, ?::bigint[] as leases, ?::text[] as results
				), gone as (
				    delete from {schema}.gator_job j
				     where j.id = any((select ids from r)::bigint[])
				       and j.lease = (select leases from r)[width_bucket(j.id, (select ids from r))]
				    returning j.id, j.queue, j.name, j.attempts, j.lease, j.created_at, j.reserved_at,
				              j.unique_key, j.metadata
				), kept as (
				    insert into {schema}.gator_job_history
				           (id, queue, name, state, attempts, lease, created_at, started_at, finished_at,
				            unique_key, result, metadata)
				    select id, queue, name, 'SUCCEEDED', attempts, lease, created_at, reserved_at, {now},
				           unique_key, (select results from r)[width_bucket(id, (select ids from r))]::json, metadata
				      from gone
				)
				""" + LOST);
	}

	private static String succeedInChain(Sql sql) {
		return sql
			.of("""
					with r as materialized (
					    select *
					      from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
					           as r(id, lease, result, next_queue, next_name, next_args, next_batch_key, next_metadata)
					), gone as (
					    delete from {schema}.gator_job j
					     using r
					"""
					+ FENCED + """
							    returning j.id, j.queue, j.name, j.attempts, j.lease, j.created_at, j.reserved_at,
							              j.unique_key, j.metadata, r.result, r.next_queue, r.next_name, r.next_args,
							              r.next_batch_key, r.next_metadata
							), kept as (
							    insert into {schema}.gator_job_history
							           (id, queue, name, state, attempts, lease, created_at, started_at, finished_at,
							            unique_key, result, metadata)
							    select id, queue, name, 'SUCCEEDED', attempts, lease, created_at, reserved_at, {now},
							           unique_key, result::json, metadata
							      from gone
							     where ?
							),
							""" + NEXT + UNMATCHED);
	}

	/**
	 * Puts jobs back, for a retry, a snooze or a release. Without a delay the job keeps
	 * its place, and no index is touched. If the job goes to another queue, to which
	 * perhaps nobody dispatches, that queue is made known here; pools that serve all
	 * queues would not look into it otherwise.
	 */
	private static String requeue(Sql sql) {
		return sql.of("""
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
				           attempts = least(j.attempts - r.uncharged, {mostAttempts}),
				           last_executed_at = case when r.uncharged = 0 then j.reserved_at else j.last_executed_at end,
				           batch_limit = coalesce(r.batch_limit, j.batch_limit),
				""" + Sql.FREED + """
				      from r
				""" + FENCED + """
				    returning j.id
				), known as (
				    insert into {schema}.gator_queue (name)
				    select distinct queue
				      from r
				     where queue is not null
				       and queue not in (select name from {schema}.gator_queue)
				    on conflict (name) do nothing
				)
				select id from r where id not in (select id from back)
				""");
	}

	private static String bury(Sql sql) {
		return sql
			.of("""
					with r as materialized (
					    select *
					      from unnest(?::bigint[], ?::bigint[], ?::text[], ?::int[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
					           as r(id, lease, error, uncharged, next_queue, next_name, next_args, next_batch_key, next_metadata)
					), gone as (
					    delete from {schema}.gator_job j
					     using r
					"""
					+ FENCED + """
							    returning j.*, r.error, r.uncharged, r.next_queue, r.next_name, r.next_args,
							              r.next_batch_key, r.next_metadata
							), dead as (
							    insert into {schema}.gator_dead_job
							           (id, queue, name, args, attempts, lease, created_at, last_executed_at, died_at,
							            error_details, unique_key, batch_key, metadata)
							    select id, queue, name, args, attempts - uncharged, lease, created_at,
							           case when uncharged = 0 then reserved_at else last_executed_at end, {now},
							           coalesce(error, error_details), unique_key, batch_key, metadata
							      from gone
							),
							""" + NEXT + UNMATCHED);
	}

}
