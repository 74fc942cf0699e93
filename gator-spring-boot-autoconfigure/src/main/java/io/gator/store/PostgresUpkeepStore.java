package io.gator.store;

import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prunes the history and makes ticks in PostgreSQL.
 */
final class PostgresUpkeepStore implements UpkeepStore {

	private static final Logger logger = LoggerFactory.getLogger(PostgresUpkeepStore.class);

	private final Db db;

	private final TablePages history;

	private final UpkeepSql sql;

	PostgresUpkeepStore(Db db, Sql sql) {
		this.db = db;
		this.history = new TablePages(db, sql, "gator_job_history");
		this.sql = new UpkeepSql(sql);
	}

	@Override
	public int pruneHistory(Duration retention, int limit) {
		return this.db.update("prune the history", this.sql.prune, (statement) -> {
			statement.setObject(1, Db.seconds(retention));
			statement.setInt(2, limit);
			statement.setObject(3, Db.seconds(retention));
		});
	}

	@Override
	public Swept sweepHistory(Duration retention, int limit, long page) {
		int rows = this.db.update("prune the history", this.sql.sweep, (statement) -> {
			statement.setObject(1, Db.seconds(retention));
			TablePages.setRange(statement, 2, page);
			statement.setInt(4, limit);
			statement.setObject(5, Db.seconds(retention));
		});
		return new Swept(rows, (rows < limit) ? this.history.after(page) : page);
	}

	@Override
	public Schedule schedule(Collection<String> names) {
		return this.db.run("look at the recurring jobs", this.sql.schedule, (statement) -> {
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
	public void plan(Plan plan) {
		this.db.update("plan a recurring job", this.sql.plan, (statement) -> {
			statement.setString(1, plan.name());
			statement.setString(2, plan.schedule());
			statement.setObject(3, Db.time(plan.next()));
			statement.setObject(4, Db.time(plan.latest()));
			statement.setObject(5, Db.time(plan.until()));
		});
	}

	@Override
	public Optional<Ticked> tick(Tick tick) {
		try {
			return tickNow(tick);
		}
		catch (StoreException ex) {
			if (!ex.isConflict()) {
				throw ex;
			}
			logger.debug("The tick of {} at {} has to wait: {}", tick.name(), tick.due(), ex.getMessage());
			return Optional.empty();
		}
	}

	private Optional<Ticked> tickNow(Tick tick) {
		return this.db.run("make a tick", this.sql.tick, (statement) -> {
			statement.setString(1, tick.name());
			statement.setObject(2, Db.time(tick.due()));
			statement.setString(3, tick.queue());
			statement.setString(4, tick.uniqueKey());
			statement.setBoolean(5, tick.untilStarted());
			statement.setBoolean(6, tick.dispatch());
			statement.setBoolean(7, tick.overlap());
			statement.setBoolean(8, tick.dispatch());
			statement.setObject(9, Db.time(tick.next()));
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
