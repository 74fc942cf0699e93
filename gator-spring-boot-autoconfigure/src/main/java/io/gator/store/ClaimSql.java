package io.gator.store;

/**
 * The statements that find work and reserve it, and the one that looks for what a claim
 * of batches may have missed. The other looks are in {@link LookSql}.
 */
final class ClaimSql {

	/**
	 * The due jobs of a queue, for one of several requests. {@code due_after} is where
	 * they are looked for from.
	 */
	private static final String DUE = """
			from {schema}.gator_job j
			where j.queue = r.queue
			  and j.next_execution_at is not null
			  and j.next_execution_at >= to_timestamp(r.due_after)
			  and j.next_execution_at <= {now}
			  and j.reserved_by is null
			  and j.name = any(r.names)""";

	/** The immediate jobs of a queue, for one of several requests. */
	private static final String READY = """
			from {schema}.gator_job j
			where (j.queue, j.id) > (r.queue, r.after)
			  and j.queue <= r.queue
			  and j.next_execution_at is null
			  and j.reserved_by is null
			  and j.name = any(r.names)""";

	/** One or two rows if a queue has a job for one of several requests. */
	private static final String ANY = """
			(select 1
			   {due}
			  order by j.next_execution_at, j.id
			  limit 1)
			union all
			(select 1
			   {ready}
			  order by j.queue, j.id
			  limit 1)""";

	/** Whether a pool knows a job, by comparing its name with one after the other. */
	private static final String KNOWN = "j.name = any(?::text[])";

	/**
	 * The same by a hash table of the names. Without {@code is true} the planner would
	 * make a join of it.
	 */
	private static final String KNOWN_BY_TABLE = "(j.name in (select unnest(?::text[]))) is true";

	/**
	 * The table pays for more names than this, if more than {@link #MANY_JOBS} are
	 * claimed.
	 */
	private static final int MANY_NAMES = 30;

	private static final int MANY_JOBS = 50;

	/**
	 * It pays to look first which queues hold items if there are more queues times
	 * buffered jobs than this. Where there are few, their items are seldom elsewhere.
	 */
	private static final int MANY_PLACES = 50;

	/**
	 * Reserves the chosen rows and returns their jobs. Times are numbers, because reading
	 * a number costs a tenth of reading a timestamp.
	 */
	private static final String CLAIMED = """
			update {schema}.gator_job j
			   set lease = lease + 1,
			       attempts = attempts + 1,
			       reserved_by = ?,
			       reserved_at = {now},
			       unique_key = case when unique_until_started then null else unique_key end
			 where j.ctid = any(array(select tid from chosen))
			returning j.id, j.queue, j.name, j.args, j.attempts, j.lease,
			          date_part('epoch', j.created_at) as created_at,
			          date_part('epoch', j.next_execution_at) as due_at,
			          date_part('epoch', {now}) as claimed_at,
			          j.cancel_requested, j.error_details is not null as failed_before,
			          j.metadata
			""";

	/**
	 * Looks, without locks, at the first items that wait for each buffered job in each
	 * queue. Items with the same key and the same limit are a group, and {@code fills} of
	 * them make it full: the size of a batch, or the smaller limit that items have after
	 * failures. {@code after} skips items that are claimed already: their rows stay at
	 * the head of the queue until they are settled.
	 * <p>
	 * {@code holding}: the queues that hold an item of any of the jobs. Most of a
	 * thousand queues hold none, or only other jobs, over which each of the jobs would
	 * walk again. {@code afters} has, queue by queue, a number for each job.
	 */
	private static final String GROUPED = """
			with job as materialized (
			    select n, string_to_array(names, ',') as names, size, batches, max_wait, wide, keyed
			      from unnest(?::text[], ?::int[], ?::int[], ?::float8[], ?::int[], ?::boolean[])
			           with ordinality as job(names, size, batches, max_wait, wide, keyed, n)
			), holding as materialized (
			    select r.queue, r.due_after, r.place
			      from (select queue, after, ?::float8 as due_after, place, ?::text[] as names
			              from unnest(?::text[], ?::bigint[]) with ordinality as q(queue, after, place)) r
			     cross join lateral (
			           (select 1 where ?)
			           union all
			           {any}
			           limit 1) c
			), r as materialized (
			    select job.*, holding.queue, holding.due_after,
			           afters[(place - 1) * (select count(*) from job) + n] as after
			      from holding
			     cross join job
			     cross join (select ?::bigint[] as afters) a
			), waiting as (
			    select r.n, c.tid, c.since, case when r.keyed then c.batch_key end as batch_key,
			           greatest(1, least(coalesce(c.batch_limit, r.size), r.size)) as fills
			      from r
			     cross join lateral (
			           (select j.ctid as tid, j.next_execution_at as since, j.batch_key, j.batch_limit
			              {due}
			             order by j.next_execution_at, j.id
			             limit r.wide)
			           union all
			           (select j.ctid, j.created_at, j.batch_key, j.batch_limit
			              {ready}
			             order by j.queue, j.id
			             limit r.wide)) c
			), grouped as materialized (
			    select n, fills, array_agg(tid) as tids, count(*) as items, min(since) as oldest
			      from waiting
			     group by n, batch_key, fills
			)
			""";

	final String claim;

	final String claimByTable;

	final String claimBatches;

	final String lookForBatches;

	ClaimSql(Sql sql) {
		this.claim = claim(sql, KNOWN);
		this.claimByTable = claim(sql, KNOWN_BY_TABLE);
		this.claimBatches = claimBatches(sql);
		this.lookForBatches = lookForBatches(sql);
	}

	/**
	 * The quicker of the two claims.
	 * @param request what to claim
	 * @return the statement; its parameters are the same
	 */
	String claim(ClaimRequest request) {
		return (request.names().size() > MANY_NAMES && request.total() > MANY_JOBS) ? this.claimByTable : this.claim;
	}

	/**
	 * Whether to look first which queues hold items.
	 * @param request which batches to claim
	 * @return {@code false} to take it that all do
	 */
	boolean looksFirst(BatchRequest request) {
		return (long) request.queues().size() * request.jobs().size() > MANY_PLACES;
	}

	/**
	 * Claims from queue after queue in the order given, from each the due jobs first and
	 * then the ready ones. Each queue has a quota, and all have one limit in common,
	 * which makes the claim round work-conserving: a queue that does not use its share
	 * leaves room for the queues behind it. A due job never goes before an immediate job
	 * of an earlier queue.
	 * <ul>
	 * <li>The lateral sub-selects stop at their limit and lock no row beyond. Written as
	 * {@code in (select … limit …)}, they may be run again for each row, and then a claim
	 * has no limit. A {@code union all} under a limit is read row by row and part after
	 * part, so ready jobs are locked only where due ones leave room.</li>
	 * <li>{@code known} leaves jobs alone that only another version of the application
	 * knows.</li>
	 * <li>The queue of ready jobs is named as a range, and the order names it too. With
	 * {@code queue = …} and {@code order by id} the planner may take the primary key for
	 * the order instead, and walk over all jobs of another queue to find ten of this
	 * one.</li>
	 * <li>{@code after} skips the dead rows at the head of the index, which cannot be
	 * vacuumed while somebody holds an old snapshot.</li>
	 * <li>The update finds its rows by {@code ctid}, which cannot change because they are
	 * locked. No plan for that reads the whole table, whatever the statistics say.</li>
	 * <li>{@code unique_key} is written, though an index names it. The update is HOT all
	 * the same: PostgreSQL compares the values, and the key changes only for jobs that
	 * are unique until they start.</li>
	 * </ul>
	 */
	private static String claim(Sql sql, String known) {
		return sql.of("""
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
				                                    and {known}
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
				                                    and {known}
				                                  order by j.queue, j.id
				                                  limit q.quota
				                                    for update skip locked) ready
				                          limit q.quota) c
				     limit ?
				)
				""".replace("{known}", known) + CLAIMED);
	}

	/**
	 * Claims batches of buffered jobs.
	 * <ul>
	 * <li>{@code ready}: of each job the groups with the oldest items that have batches
	 * which are ready: {@code parts} full ones, and the last one if the oldest item of
	 * the group has waited long enough. If more groups have one than batches may be
	 * claimed, the first jobs go first.</li>
	 * <li>{@code locked}: the oldest items of each group, without those that another
	 * claim is just taking. They are joined one by one: a row that another claim has
	 * changed since the look is checked again, and with {@code ctid = any(tids)} the
	 * server would go over the whole array for each of these rows, and hold their locks
	 * meanwhile. Ordered by the id alone, a plan that was made when the table was empty
	 * would walk over the primary key.</li>
	 * <li>{@code chosen}: the items that could be locked must still be batches that are
	 * ready. Only the last one of a group can be less than full.</li>
	 * </ul>
	 */
	private static String claimBatches(Sql sql) {
		return ofRequests(sql, GROUPED + """
				, ready as materialized (
				    select fills, max_wait, tids, least(parts, batches - before) as parts
				      from (select *, sum(parts) over (partition by n order by oldest rows unbounded preceding)
				                      - parts as before
				              from (select *, items / fills
				                              + (items % fills > 0
				                                 and oldest <= {now} - max_wait * interval '1 second')::int as parts
				                      from grouped
				                      join job using (n)) p
				             where parts > 0) g
				     where before < batches
				     order by n, oldest
				     limit ?
				), locked as materialized (
				    select b.max_wait, c.tids, c.since, cardinality(c.tids) / b.fills * b.fills as in_full_ones
				      from ready b
				     cross join lateral (select array_agg(tid) as tids, array_agg(since) as since
				                           from (select j.ctid as tid,
				                                        coalesce(j.next_execution_at, j.created_at) as since
				                                   from unnest(b.tids) as w (tid)
				                                   join {schema}.gator_job j on j.ctid = w.tid
				                                  where j.reserved_by is null
				                                  order by since, j.id
				                                  limit b.fills * b.parts
				                                    for update of j skip locked) l) c
				), chosen as materialized (
				    select unnest(case when since[in_full_ones + 1] <= {now} - max_wait * interval '1 second'
				                       then tids
				                       else tids[:in_full_ones] end) as tid
				      from locked
				)
				""" + CLAIMED.stripTrailing() + ", j.batch_key, j.batch_limit");
	}

	/**
	 * Finds what a claim of batches that brought nothing may have missed: batches that
	 * another pool was just taking, or items behind those that the claim has looked at.
	 * It is a statement of its own, because the rows of a claim would cost a tenth more
	 * if they told of that.
	 */
	private static String lookForBatches(Sql sql) {
		return ofRequests(sql, GROUPED + """
				select n - 1,
				       bool_or(items >= fills or oldest <= {now} - max_wait * interval '1 second'),
				       sum(items) >= wide
				  from grouped
				  join job using (n)
				 group by n, wide
				""");
	}

	/**
	 * A statement that treats several requests, its rows {@code r}.
	 * @param sql what the text is made of
	 * @param template the text, which may name {@code {due}}, {@code {ready}} and
	 * {@code {any}}
	 * @return the statement
	 */
	static String ofRequests(Sql sql, String template) {
		return sql.of(template.replace("{any}", ANY).replace("{due}", DUE).replace("{ready}", READY));
	}

}
