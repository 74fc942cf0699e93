package io.gator.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * Asks PostgreSQL.
 */
final class PostgresInsightStore implements InsightStore {

	/** How long a statement may take: a figure is not worth more of the server's time. */
	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final List<String> SETTINGS = List.of("fsync", "synchronous_commit", "full_page_writes",
			"autovacuum", "track_counts", "max_connections", "superuser_reserved_connections", "server_version");

	private final Db db;

	/** For health and upkeep, which do not wait for people who look at figures. */
	private final Db urgent;

	private final InsightSql sql;

	PostgresInsightStore(DataSource dataSource, Sql sql, Semaphore permits) {
		this.db = new Db(dataSource, TIMEOUT, permits);
		this.urgent = this.db.withoutPermit();
		this.sql = new InsightSql(sql);
	}

	@Override
	public void ping() {
		this.urgent.run("reach the database", "select 1", PreparedStatement::execute);
	}

	@Override
	public Shared exchange(String process, String facts, Duration interval) {
		Double seconds = Db.seconds(interval);
		List<String> processes = new ArrayList<>();
		processes.add(facts);
		Cluster cluster = this.db.run("exchange figures", this.sql.exchange, (statement) -> {
			statement.setString(1, process);
			statement.setString(2, facts);
			statement.setObject(3, seconds);
			statement.setString(4, process);
			statement.setObject(5, seconds);
			Cluster found = Cluster.NONE;
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					if (row.getString(1).equals("cluster")) {
						found = new Cluster(row.getString(2), row.getDouble(3), row.getDouble(4));
					}
					else {
						processes.add(row.getString(2));
					}
				}
			}
			return found;
		});
		// A little less than the interval, or a process that asks exactly once per
		// interval always comes just too soon.
		double most = interval.toMillis() / 1000.0 * 0.9;
		boolean turn = Math.abs(cluster.sinceTurn()) > most && this.db.update("take the turn of counting",
				this.sql.turn, (statement) -> statement.setDouble(1, most)) > 0;
		return new Shared(cluster.facts(), cluster.sinceCount(), processes, turn);
	}

	@Override
	public void publish(String facts, double age) {
		this.db.update("publish figures", this.sql.publish, (statement) -> {
			statement.setString(1, facts);
			statement.setDouble(2, age);
		});
	}

	@Override
	public List<QueueCount> count(int limit) {
		return this.db.run("count jobs", this.sql.count, (statement) -> {
			statement.setInt(1, limit);
			Map<String, QueueCount> queues = new LinkedHashMap<>();
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					QueueCount read = read(row);
					QueueCount known = queues.get(read.queue());
					queues.put(read.queue(), (known != null) ? together(known, read) : read);
				}
			}
			return List.copyOf(queues.values());
		});
	}

	/** Adds the two rows of a queue. Both carry its dead letters, which count once. */
	private static QueueCount together(QueueCount immediate, QueueCount due) {
		QueueCount sum = immediate.plus(due);
		return new QueueCount(sum.queue(), sum.paused(), sum.waiting(), sum.scheduled(), sum.running(), sum.failed(),
				due.dead(), sum.oldestSeconds(), sum.estimated());
	}

	private static QueueCount read(ResultSet row) throws SQLException {
		long walked = row.getLong("walked");
		boolean capped = row.getBoolean("capped");
		long waiting = row.getLong("waiting");
		long scheduled = row.getLong("scheduled");
		long failed = row.getLong("failed");
		long beyond = capped ? Math.max(0, row.getLong("estimate") - walked) : 0;
		if (row.getBoolean("due")) {
			// Jobs that are due later than all walked ones are either scheduled or wait
			// for their retry. The proportion is estimated by the walked ones.
			long later = scheduled + failed;
			long toFailed = (later > 0) ? Math.round((double) beyond * failed / later) : 0;
			failed += toFailed;
			scheduled += beyond - toFailed;
		}
		else {
			waiting += beyond;
		}
		long dead = row.getLong("dead");
		boolean deadCapped = row.getBoolean("dead_capped");
		if (deadCapped) {
			dead = Math.max(dead, row.getLong("dead_estimate"));
		}
		return new QueueCount(row.getString("name"), row.getBoolean("paused"), waiting, scheduled,
				row.getLong("running"), failed, dead, number(row, "oldest"), capped || deadCapped);
	}

	private static @Nullable Double number(ResultSet row, String column) throws SQLException {
		double value = row.getDouble(column);
		return row.wasNull() ? null : Double.valueOf(Math.max(0, value));
	}

	@Override
	public TableFacts table() {
		return this.urgent.run("look at the table's statistics", this.sql.table, (statement) -> {
			return Db.one(statement, (row) -> {
				double autovacuum = row.getDouble(6);
				Double sinceAutovacuum = row.wasNull() ? null : Double.valueOf(autovacuum);
				return new TableFacts(row.getDouble(1), row.getDouble(2), row.getDouble(3), row.getDouble(4),
						row.getDouble(5), sinceAutovacuum, row.getDouble(7), row.getDouble(8));
			});
		});
	}

	@Override
	public List<PoolFacts> pools() {
		return this.db.run("look for pools", this.sql.pools,
				(statement) -> Db.list(statement,
						(row) -> new PoolFacts(row.getLong("id"), row.getString("pool"), row.getString("host"),
								row.getLong("pid"), Db.knownInstant(row, "started_at"), row.getDouble("silence"),
								row.getDouble("lease"), Db.texts(row, "queues"), Db.texts(row, "names"),
								row.getInt("slots"), row.getInt("busy"))));
	}

	@Override
	public QueueState queue(String queue) {
		return this.db.run("look at a queue", this.sql.queue, (statement) -> {
			statement.setString(1, queue);
			return Db.list(statement,
					(row) -> new QueueState(Db.knownInstant(row, "now"), Db.instant(row, "paused_at")));
		}).get(0);
	}

	@Override
	public Map<String, Long> held(Collection<Long> workers, Collection<String> queues) {
		return this.db.run("look up what pools hold", this.sql.held, (statement) -> {
			statement.setArray(1, Db.texts(statement, queues));
			statement.setArray(2, Db.longs(statement, workers));
			Map<String, Long> held = new LinkedHashMap<>();
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					held.put(row.getString(1), row.getLong(2));
				}
			}
			return held;
		});
	}

	@Override
	public long ahead(String queue, long id, @Nullable Instant dueAt) {
		return this.db.run("count the jobs ahead of another", this.sql.ahead, (statement) -> {
			statement.setString(1, queue);
			statement.setObject(2, Db.time(dueAt), Types.TIMESTAMP_WITH_TIMEZONE);
			statement.setObject(3, Db.time(dueAt), Types.TIMESTAMP_WITH_TIMEZONE);
			statement.setInt(4, MAX_AHEAD);
			statement.setString(5, queue);
			statement.setLong(6, id);
			statement.setString(7, queue);
			statement.setObject(8, Db.time(dueAt), Types.TIMESTAMP_WITH_TIMEZONE);
			statement.setInt(9, MAX_AHEAD);
			return Db.one(statement, (row) -> Math.min(MAX_AHEAD, row.getLong(1)));
		});
	}

	@Override
	public List<Death> lastDeaths(int limit) {
		return this.db.run("look for the last deaths", this.sql.lastDeaths, (statement) -> {
			statement.setInt(1, limit);
			return Db.list(statement,
					(row) -> new Death(row.getLong("id"), row.getString("name"), row.getString("queue"),
							row.getInt("attempts"), Db.knownInstant(row, "died_at"), row.getString("error")));
		});
	}

	@Override
	public ServerFacts server() {
		Settings settings = this.db.run("look at the server's settings", this.sql.settings, (statement) -> {
			statement.setArray(1, Db.texts(statement, SETTINGS));
			Map<String, String> values = new LinkedHashMap<>();
			double clock = 0;
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					values.put(row.getString(1), row.getString(2));
					clock = row.getDouble(3);
				}
			}
			return new Settings(values, clock);
		});
		List<String> withoutAutovacuum = lines("look at the tables' options", this.sql.withoutAutovacuum);
		boolean versioned = lines("look for the history of the schema", this.sql.hasSchemaVersion).contains("t");
		List<String> version = versioned ? lines("look at the history of the schema", this.sql.schemaVersion)
				: List.of();
		return new ServerFacts(settings.values(), withoutAutovacuum, version.isEmpty() ? null : version.get(0),
				settings.clock());
	}

	private List<String> lines(String what, String text) {
		return this.db.run(what, text, PostgresInsightStore::lines);
	}

	private static List<String> lines(PreparedStatement statement) throws SQLException {
		return Db.list(statement, (row) -> row.getString(1));
	}

	@Override
	public List<String> claimPlan(Collection<String> queues, Set<String> names) {
		// A claim that is only explained locks and takes nothing.
		List<ClaimRequest.Share> shares = queues.stream()
			.map((queue) -> new ClaimRequest.Share(queue, 100, 0, 0))
			.toList();
		return this.db.run("explain a claim", this.sql.explainClaim, (statement) -> {
			PostgresJobStore.setClaim(statement, new ClaimRequest(0, names, shares, 100));
			return lines(statement);
		});
	}

	/**
	 * What is known of the cluster. A process that takes the turn of counting may fail to
	 * count, so there are two times.
	 *
	 * @param facts the facts
	 * @param sinceTurn seconds since somebody took the turn of counting
	 * @param sinceCount seconds since somebody has counted
	 */
	private record Cluster(String facts, double sinceTurn, double sinceCount) {

		static final Cluster NONE = new Cluster("{}", Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);

	}

	/**
	 * The server's settings, and its time in seconds since the epoch.
	 */
	private record Settings(Map<String, String> values, double clock) {

	}

}
