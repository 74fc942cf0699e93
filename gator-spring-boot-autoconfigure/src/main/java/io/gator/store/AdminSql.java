package io.gator.store;

import io.gator.JobState;

/**
 * The statements with which people look at jobs and act on them.
 */
final class AdminSql {

	/** All columns of a listed job. */
	static final String WHOLE = "*";

	/**
	 * All that a retry needs to know of a listed job. The arguments of a page may be a
	 * gigabyte.
	 */
	static final String KEYS = "id, unique_key";

	/**
	 * Makes dead jobs live again: no attempt charged, due now, and with a lease that no
	 * earlier attempt had. A job gets its unique key back only if no live job has taken
	 * it meanwhile. Of several dead jobs that had the same key one after the other, the
	 * one with the smallest id gets it. The key stands in an array, or a plan that was
	 * made for a small table reads all keys.
	 */
	private static final String BACK = """
			back as (
			    insert into {schema}.gator_job
			           (id, queue, name, args, attempts, lease, next_execution_at, created_at, last_executed_at,
			            error_details, unique_key, batch_key, metadata)
			    select id, queue, name, args, 0, least(greatest(lease, 0), {highestLease} - 1) + 1,
			           {now}, created_at, last_executed_at, error_details,
			           case when row_number() over (partition by unique_key order by id) = 1
			                     and not exists (select 1 from {schema}.gator_job j
			                                      where j.unique_key = any(array[dead.unique_key]))
			                then unique_key end,
			           batch_key, metadata
			      from dead
			    returning id, queue
			)
			""";

	/**
	 * Takes a chunk of the dead jobs that a filter finds, and skips those that another
	 * process is taking.
	 */
	private static final String SOME_DEAD = """
			    delete from {schema}.gator_dead_job d
			     where d.id = any(array(select c.id
			                              from {schema}.gator_dead_job c
			                             where (?::text is null or c.queue = ?)
			                               and (?::text is null or c.name = ?)
			                               and c.id > ?
			                             order by c.id
			                             limit ?
			                               for update skip locked))
			    returning *
			""";

	/** Jobs that are cancelled or discarded go to the history alike. */
	private static final String DISCARDED = """
			kept as (
			    insert into {schema}.gator_job_history
			           (id, queue, name, state, attempts, lease, created_at, started_at, finished_at,
			            error_details, unique_key, metadata)
			    select id, queue, name, 'CANCELLED', attempts, lease, created_at, last_executed_at, {now},
			           error_details, unique_key, metadata
			      from gone
			)
			""";

	private final Sql sql;

	final String find;

	final String cancel;

	final String retry;

	final String reschedule;

	final String discard;

	final String retrySome;

	final String discardSome;

	final String pause;

	final String resume;

	final String queues;

	final String workers;

	final String recurring;

	AdminSql(Sql sql) {
		this.sql = sql;
		// The limit ends the search where the job is found. The history comes last, and
		// has no index that finds a single job quickly once its pages are used again.
		this.find = sql.of("select " + WHOLE + " from {schema}.gator_jobs where id = ? limit 1");
		// A running job is not taken from its pool, or it could run twice at once. The
		// pool learns of the cancellation with its next beat. If that pool dies before,
		// cancel_requested tells the next pool that claims the job. Arrays of one id:
		// to find an equal, a plan that was made for a small table reads all ids.
		this.cancel = sql.of("""
				with job as materialized (
				    select id, reserved_by
				      from {schema}.gator_job
				     where id = ?
				       for update
				), gone as (
				    delete from {schema}.gator_job j
				     using job
				     where j.id = any(array[job.id])
				       and job.reserved_by is null
				    returning j.*
				),
				""" + DISCARDED + """
				, asked as (
				    update {schema}.gator_job j
				       set cancel_requested = true
				      from job
				     where j.id = any(array[job.id])
				       and job.reserved_by is not null
				    returning j.id, j.reserved_by
				), told as (
				    update {schema}.gator_worker w
				       set cancels = array_append(w.cancels, asked.id)
				      from asked
				     where w.id = asked.reserved_by
				)
				select (select count(*) from gone), (select count(*) from asked)
				""");
		this.retry = sql.of("""
				with failed as (
				    update {schema}.gator_job
				       set next_execution_at = {now},
				           cancel_requested = false
				     where id = ?
				       and reserved_by is null
				       and next_execution_at is not null
				       and error_details is not null
				    returning queue
				), dead as (
				    delete from {schema}.gator_dead_job
				     where id = ?
				    returning *
				),
				""" + BACK + """
				select queue from failed union all select queue from back
				""");
		// Never back-dated: pools look for what is due from where they were a moment ago.
		this.reschedule = sql.of("""
				update {schema}.gator_job
				   set next_execution_at = greatest(?, {now})
				 where id = ?
				   and reserved_by is null
				returning queue
				""");
		this.retrySome = sql.of("""
				with dead as (
				""" + SOME_DEAD + """
				),
				""" + BACK + """
				select id, queue from back
				""");
		this.discard = sql.of("""
				with gone as (
				    delete from {schema}.gator_dead_job
				     where id = ?
				    returning *
				),
				""" + DISCARDED + """
				select count(*) from gone
				""");
		this.discardSome = sql.of("""
				with gone as (
				""" + SOME_DEAD + """
				),
				""" + DISCARDED + """
				select id from gone
				""");
		this.pause = sql.of("""
				insert into {schema}.gator_queue as q (name, paused_at)
				values (?, {now})
				on conflict (name) do update set paused_at = coalesce(q.paused_at, excluded.paused_at)
				""");
		this.resume = sql.of("""
				update {schema}.gator_queue
				   set paused_at = null
				 where name = ?
				""");
		this.queues = sql
			.of("""
					select q.name, q.paused_at is not null as paused,
					       coalesce(j.waiting, 0) as waiting, coalesce(j.scheduled, 0) as scheduled,
					       coalesce(j.running, 0) as running, coalesce(j.failed, 0) as failed,
					       coalesce(d.dead, 0) as dead,
					       date_part('epoch', {now} - j.oldest) as oldest
					  from {schema}.gator_queue q
					  left join (select queue,
					                    count(*) filter (where %s) as waiting,
					                    count(*) filter (where %s) as scheduled,
					                    count(*) filter (where %s) as running,
					                    count(*) filter (where %s) as failed,
					                    min(greatest(next_execution_at, created_at))
					                        filter (where reserved_by is null
					                            and (next_execution_at is null or next_execution_at <= {now})) as oldest
					               from {schema}.gator_job
					              group by queue) j on j.queue = q.name
					  left join (select queue, count(*) as dead from {schema}.gator_dead_job group by queue) d on d.queue = q.name
					 order by q.name
					"""
				.formatted(is(JobState.WAITING), is(JobState.SCHEDULED), is(JobState.RUNNING), is(JobState.FAILED)));
		this.workers = sql.of("""
				select id, pool, host, pid, started_at, beat_at, queues, slots, busy
				  from {schema}.gator_worker
				 where beat_at >= {now} - lease
				 order by id
				""");
		this.recurring = sql.of("""
				select name, schedule, last_tick,
				       -- Long overdue: no process knows this job any more.
				       case when next_tick > {now} - interval '5 minutes' then next_tick end as next_tick
				  from {schema}.gator_recurring
				 order by name
				""");
	}

	/**
	 * A page of jobs in one state, along the key up to an id, from the one table that
	 * holds such jobs: over the view each page would read all of them.
	 */
	String list(JobState state, String columns) {
		return this.sql.of("select " + columns + " from (\n" + jobs(state) + """
				) found
				 order by id
				 limit ?
				""");
	}

	/**
	 * The jobs with the smallest ids in one range of the table's disk pages, up to a
	 * limit.
	 */
	String listInRange(JobState state, String columns) {
		return this.sql.of("with found as materialized (\n" + jobs(state) + """
				   and ctid >= ?::tid
				   and ctid < ?::tid
				)
				select %s
				  from found
				 order by id
				 limit ?
				""".formatted(columns));
	}

	/**
	 * The id of the job that is a given number of jobs further on; no row if fewer
	 * follow.
	 */
	String further(JobState state) {
		return this.sql.of("select id from {schema}." + table(state) + """
				 where id > ?
				 order by id
				offset ?
				 limit 1
				""");
	}

	static String table(JobState state) {
		return switch (state) {
			case WAITING, SCHEDULED, RUNNING, FAILED -> "gator_job";
			case DEAD -> "gator_dead_job";
			case SUCCEEDED, CANCELLED -> "gator_job_history";
		};
	}

	private static String jobs(JobState state) {
		String from = switch (state) {
			case WAITING, SCHEDULED, RUNNING, FAILED ->
				"""
						select id, queue, name, '%s' as state, attempts, created_at, next_execution_at as due_at,
						       reserved_at as claimed_at, reserved_by as worker_id, last_executed_at,
						       null::timestamptz as finished_at, error_details, unique_key, args, null::json as result, metadata
						  from {schema}.gator_job
						 where %s
						"""
					.formatted(state, is(state));
			case DEAD -> """
					select id, queue, name, 'DEAD' as state, attempts, created_at, null::timestamptz as due_at,
					       null::timestamptz as claimed_at, null::bigint as worker_id, last_executed_at,
					       died_at as finished_at, error_details, unique_key, args, null::json as result, metadata
					  from {schema}.gator_dead_job
					 where true
					""";
			case SUCCEEDED, CANCELLED -> """
					select id, queue, name, state, attempts, created_at, null::timestamptz as due_at,
					       null::timestamptz as claimed_at, null::bigint as worker_id, started_at as last_executed_at,
					       finished_at, error_details, unique_key, null::json as args, result, metadata
					  from {schema}.gator_job_history
					 where state = '%s'
					""".formatted(state);
		};
		return from + """
				   and (?::text is null or queue = ?)
				   and (?::text is null or name = ?)
				   and id > ?
				   and id <= ?
				""";
	}

	/**
	 * The condition for a live job to be in a state, the same as in the view
	 * {@code gator_jobs}.
	 */
	private static String is(JobState state) {
		return switch (state) {
			case WAITING -> "reserved_by is null"
					+ " and (next_execution_at is null or next_execution_at <= {now} and error_details is null)";
			case SCHEDULED -> "reserved_by is null and next_execution_at > {now} and error_details is null";
			case RUNNING -> "reserved_by is not null";
			case FAILED -> "reserved_by is null and next_execution_at is not null and error_details is not null";
			case DEAD, SUCCEEDED, CANCELLED ->
				throw new IllegalArgumentException("No live job is in the state " + state);
		};
	}

}
