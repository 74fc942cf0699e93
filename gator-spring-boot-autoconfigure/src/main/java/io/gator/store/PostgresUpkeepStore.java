package io.gator.store;

import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Keeps PostgreSQL in order.
 */
final class PostgresUpkeepStore implements UpkeepStore {

	private final Db db;

	private final String prune;

	private final String schedule;

	private final String plan;

	private final String tick;

	PostgresUpkeepStore(Db db, Sql sql) {
		this.db = db;
		// In chunks, so that no lock is held for long, and by whoever gets the lock.
		this.prune = sql.of("""
				with turn as materialized (
				    select pg_try_advisory_xact_lock(hashtext('gator.{name}.history')) as mine
				), old as materialized (
				    select h.ctid as tid
				      from {schema}.gator_job_history h
				     where (select mine from turn)
				       and h.finished_at < {now} - ?::float8 * interval '1 second'
				     limit ?
				)
				delete from {schema}.gator_job_history h
				 where h.ctid = any(array(select tid from old))
				""");
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

	@Override
	public int pruneHistory(Duration retention, int limit) {
		return this.db.update("prune the history", this.prune, (statement) -> {
			statement.setObject(1, Db.seconds(retention));
			statement.setInt(2, limit);
		});
	}

	@Override
	public Schedule schedule(Collection<String> names) {
		return this.db.run("look at the recurring jobs", this.schedule, (statement) -> {
			statement.setArray(1, Db.texts(statement, names));
			Instant now = Instant.EPOCH;
			List<Planned> planned = new ArrayList<>();
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					now = Objects.requireNonNull(Db.instant(row, "now"));
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
