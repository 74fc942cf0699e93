package io.gator.store;

import java.sql.ResultSet;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * Keeps the identities of pools in PostgreSQL.
 */
final class PostgresWorkerStore implements WorkerStore {

	private static final int CHUNK = 5_000;

	private final Db db;

	private final WorkerSql sql;

	private final ReservedJobs reserved;

	private final DatabaseClock clock;

	private final LookForOthers others = new LookForOthers();

	private final RescuePause pause = new RescuePause();

	PostgresWorkerStore(DataSource dataSource, Duration timeout, Sql sql, DatabaseClock clock) {
		this.db = new Db(dataSource, timeout);
		this.clock = clock;
		this.reserved = new ReservedJobs(this.db, sql);
		this.sql = new WorkerSql(sql);
	}

	@Override
	public long register(Registration registration) {
		return this.db.run("register a pool", this.sql.registerWorker, (statement) -> {
			statement.setString(1, registration.pool());
			statement.setString(2, registration.host());
			statement.setLong(3, registration.pid());
			statement.setObject(4, Db.seconds(registration.heartbeat()));
			statement.setObject(5, Db.seconds(registration.lease()));
			statement.setArray(6, Db.texts(statement, registration.queues()));
			statement.setArray(7, Db.texts(statement, registration.names()));
			statement.setInt(8, registration.slots());
			return Db.one(statement, (row) -> row.getLong(1));
		});
	}

	@Override
	public boolean isRefused() {
		return this.db.isRefused();
	}

	@Override
	public Beat beat(long worker, int slots, int busy, Collection<String> serves, Collection<Long> heard) {
		long asked = this.clock.nanos();
		return this.db.run("beat", this.sql.beat, (statement) -> {
			statement.setArray(1, Db.longs(statement, heard));
			statement.setLong(2, worker);
			statement.setInt(3, slots);
			statement.setInt(4, busy);
			statement.setArray(5, Db.texts(statement, serves));
			boolean looks = this.others.isDue();
			statement.setLong(6, worker);
			statement.setBoolean(7, looks);
			statement.setBoolean(8, looks);
			boolean alive = false;
			boolean missing = false;
			String server = "";
			Set<Long> cancelled = new HashSet<>();
			Map<String, Boolean> queues = new HashMap<>();
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					switch (row.getString(1)) {
						case "beat" -> {
							alive = true;
							this.clock.saw(row.getObject(5, OffsetDateTime.class), asked);
							cancelled.addAll(List.of((Long[]) row.getArray(4).getArray()));
							server = row.getString(6);
						}
						case "queue" -> queues.put(row.getString(2), row.getBoolean(3));
						default -> {
							missing = row.getBoolean(3);
							this.others.counted(((Long[]) row.getArray(4).getArray())[0], this.clock.nanos() - asked);
						}
					}
				}
			}
			return new Beat(alive, cancelled, queues, missing, server);
		});
	}

	@Override
	public void retire(long worker) {
		this.db.update("retire a pool", this.sql.retireWorker, (statement) -> statement.setLong(1, worker));
	}

	@Override
	public List<Long> rescue(Collection<Long> alive, boolean byLocks) {
		redateBeats(alive);
		List<Long> dead = this.db.run("look for dead pools", this.sql.findDeadWorkers, (statement) -> {
			statement.setObject(1, this.clock.step());
			statement.setObject(2, this.clock.withoutStep());
			statement.setArray(3, Db.longs(statement, alive));
			statement.setBoolean(4, byLocks);
			return Db.ids(statement);
		});
		if (this.pause.holds(dead, this.clock.nanos())) {
			return List.of();
		}
		Rescue rescue = rescueFrom(dead);
		this.pause.ended(dead, !rescue.rescued.isEmpty(), this.clock.nanos());
		return rescue.ended();
	}

	private void redateBeats(Collection<Long> alive) {
		List<LastBeat> future = this.db.run("look for beats from the future", this.sql.findFutureBeats, (statement) -> {
			statement.setArray(1, Db.longs(statement, alive));
			return Db.list(statement, (row) -> new LastBeat(row.getLong("id"), row.getString("beat_at")));
		});
		if (!future.isEmpty()) {
			this.db.update("date beats from the future anew", this.sql.redateBeats, (statement) -> {
				Db.setLongs(statement, 1, future, LastBeat::worker);
				Db.setTexts(statement, 2, future, LastBeat::at);
			});
		}
	}

	@Override
	public boolean isOldest(Collection<Long> alive) {
		return this.db.run("look for the oldest pool", this.sql.isOldest, (statement) -> {
			statement.setArray(1, Db.longs(statement, alive));
			return Db.one(statement, (row) -> row.getBoolean(1));
		});
	}

	@Override
	public List<Long> rescueOrphans() {
		return rescueFrom(this.reserved.forgottenHolders()).ended();
	}

	private Rescue rescueFrom(Collection<Long> dead) {
		Rescue rescue = new Rescue(dead);
		if (dead.isEmpty()) {
			return rescue;
		}
		int found = 0;
		for (long first = 0, end = this.reserved.pages(); first < end; first += TablePages.RANGE) {
			List<Long> held = this.reserved.heldBy(dead, first);
			for (int from = 0; from < held.size(); from += CHUNK) {
				rescue.of(held.subList(from, Math.min(held.size(), from + CHUNK)));
			}
			found += held.size();
		}
		if (rescue.rescued.size() == found) {
			// Dead pools that hold nothing any more are forgotten. If a job could not be
			// freed, all of them are looked at again next time.
			this.db.update("forget dead pools", this.sql.forgetWorkers,
					(statement) -> statement.setArray(1, Db.longs(statement, dead)));
		}
		return rescue;
	}

	@Override
	public void registerQueues(Collection<String> queues) {
		this.db.update("register queues", this.sql.registerQueues,
				(statement) -> statement.setArray(1, Db.texts(statement, queues)));
	}

	@Override
	public void registerHeardQueues(Collection<String> queues) {
		this.db.update("register queues that were heard of", this.sql.registerHeardQueues,
				(statement) -> statement.setArray(1, Db.texts(statement, queues)));
	}

	@Override
	public int registerMissingQueues() {
		return this.db.update("register missing queues", this.sql.registerMissingQueues, (statement) -> {
		});
	}

	@Override
	public int forgetUnusedQueues() {
		return this.db.update("forget unused queues", this.sql.forgetUnusedQueues, (statement) -> {
		});
	}

	private record LastBeat(long worker, String at) {

	}

	/**
	 * Frees the jobs that dead pools hold. A row that cannot be freed, because of a
	 * trigger for example, does not keep the others from being freed.
	 */
	private final class Rescue {

		private final Collection<Long> dead;

		private final List<Long> rescued = new ArrayList<>();

		private @Nullable StoreException refused;

		Rescue(Collection<Long> dead) {
			this.dead = dead;
		}

		void of(List<Long> held) {
			try {
				this.rescued.addAll(free(held));
			}
			catch (StoreException ex) {
				if (!ex.mayConcernOneRow()) {
					throw ex;
				}
				if (held.size() == 1) {
					this.refused = ex;
					return;
				}
				int half = held.size() / 2;
				of(held.subList(0, half));
				of(held.subList(half, held.size()));
			}
		}

		private List<Long> free(List<Long> held) {
			String what = (held.size() == 1) ? "rescue job " + held.get(0) : "rescue jobs";
			return PostgresWorkerStore.this.db.run(what, PostgresWorkerStore.this.sql.rescue, (statement) -> {
				statement.setArray(1, Db.longs(statement, this.dead));
				statement.setArray(2, Db.longs(statement, this.dead));
				statement.setArray(3, Db.longs(statement, held));
				return Db.ids(statement);
			});
		}

		/**
		 * Throws what was refused only if no other job was rescued. Else a later call
		 * throws it, when nothing else is left to rescue.
		 */
		List<Long> ended() {
			if (this.refused != null && this.rescued.isEmpty()) {
				throw this.refused;
			}
			return this.rescued;
		}

	}

}
