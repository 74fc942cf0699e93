package io.gator.store;

import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Keeps PostgreSQL in order.
 */
final class PostgresUpkeepStore implements UpkeepStore {

	private final Db db;

	private final TablePages history;

	private final String prune;

	private final String sweep;

	private final String schedule;

	private final String plan;

	private final String tick;

	PostgresUpkeepStore(Db db, Sql sql) {
		this.db = db;
		this.history = new TablePages(db, sql, "gator_job_history");
		this.prune = prune(sql, "h.finished_at < {now} - ?::float8 * interval '1 second'");
		this.sweep = sweep(sql);
		this.schedule = sql.of("""
				select {now} as now, r.name, r.schedule, r.next_tick
				  from (select 1) one
				  left join {schema}.gator_recurring r
				    on r.name = any(?::text[])
				   and r.next_tick is not null
				""");
		this.plan = sql.of("""
				insert into {schema}.gator_recurring as r (name, schedule, next_tick)
				values (?, ?, ?)
				on conflict (name) do update
				   set schedule = excluded.schedule,
				       next_tick = excluded.next_tick
				 where r.schedule <> excluded.schedule
				    or r.next_tick is null
				""");
		// Whoever finds the tick as it was makes it. The row is locked first: another one
		// waits, and then finds it changed.
		this.tick = sql.of("""
				with due as materialized (
				    select name, last_job_id
				      from {schema}.gator_recurring
				     where name = ?
				       and next_tick = ?
				       for update
				), job as (
				    insert into {schema}.gator_job (queue, name, args, created_at)
				    select ?, name, '[]', {now}
				      from due
				     where ?
				       and (? or not exists (select 1 from {schema}.gator_job j where j.id = due.last_job_id))
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

	/** In chunks, so that no lock is held for long, and by whoever gets the lock. */
	private static String prune(Sql sql, String old) {
		return sql.of("""
				with turn as materialized (
				    select pg_try_advisory_xact_lock(hashtext('gator.{name}.history')) as mine
				), old as materialized (
				    select h.ctid as tid
				      from {schema}.gator_job_history h
				     where (select mine from turn)
				       and %s
				     limit ?
				)
				delete from {schema}.gator_job_history h
				 where h.ctid = any(array(select tid from old))
				""".formatted(old));
	}

	/**
	 * Not by the index: when pages are used again, what it knows of them covers all that
	 * was ever there, and it leaves out none of them. Zero added keeps it from being
	 * asked.
	 */
	static String sweep(Sql sql) {
		return prune(sql, """
				h.finished_at + interval '0' < {now} - ?::float8 * interval '1 second'
				       and h.ctid >= ?::tid
				       and h.ctid < ?::tid""");
	}

	@Override
	public int pruneHistory(Duration retention, int limit) {
		return this.db.update("prune the history", this.prune, (statement) -> {
			statement.setObject(1, Db.seconds(retention));
			statement.setInt(2, limit);
		});
	}

	@Override
	public Swept sweepHistory(Duration retention, int limit, long page) {
		int rows = this.db.update("prune the history", this.sweep, (statement) -> {
			statement.setObject(1, Db.seconds(retention));
			TablePages.setRange(statement, 2, page);
			statement.setInt(4, limit);
		});
		return new Swept(rows, (rows < limit) ? this.history.after(page) : page);
	}

	@Override
	public Schedule schedule(Collection<String> names) {
		return this.db.run("look at the recurring jobs", this.schedule, (statement) -> {
			statement.setArray(1, Db.texts(statement, names));
			Instant now = Instant.EPOCH;
			List<Planned> planned = new ArrayList<>();
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					now = Db.knownInstant(row, "now");
					String name = row.getString("name");
					Instant next = Db.instant(row, "next_tick");
					if (name != null && next != null) {
						planned.add(new Planned(name, row.getString("schedule"), next));
					}
				}
			}
			return new Schedule(now, planned);
		});
	}

	@Override
	public void plan(String name, String schedule, Instant next) {
		this.db.update("plan a recurring job", this.plan, (statement) -> {
			statement.setString(1, name);
			statement.setString(2, schedule);
			statement.setObject(3, Db.time(next));
		});
	}

	@Override
	public Optional<Ticked> tick(Tick tick) {
		return this.db.run("make a tick", this.tick, (statement) -> {
			statement.setString(1, tick.name());
			statement.setObject(2, Db.time(tick.due()));
			statement.setString(3, tick.queue());
			statement.setBoolean(4, tick.dispatch());
			statement.setBoolean(5, tick.overlap());
			statement.setBoolean(6, tick.dispatch());
			statement.setObject(7, Db.time(tick.next()));
			try (ResultSet row = statement.executeQuery()) {
				if (!row.next()) {
					return Optional.empty();
				}
				long job = row.getLong(1);
				return Optional.of(new Ticked(row.wasNull() ? null : job));
			}
		});
	}

}
