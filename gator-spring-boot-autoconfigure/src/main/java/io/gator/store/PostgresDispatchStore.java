package io.gator.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Writes new jobs into PostgreSQL.
 */
final class PostgresDispatchStore implements DispatchStore {

	/**
	 * How often a unique key may be found taken and free again. Each round means that a
	 * job with this key ended just then.
	 */
	private static final int ROUNDS = 100;

	private final WorkerStore queues;

	private final DispatchSql sql;

	private final JobCopy copy;

	PostgresDispatchStore(WorkerStore queues, Sql sql) {
		this.queues = queues;
		this.sql = new DispatchSql(sql);
		this.copy = new JobCopy(this.sql);
	}

	@Override
	public Inserted insert(Connection connection, NewJob job, NewArgs args) throws SQLException {
		String key = args.uniqueKey();
		if (key != null) {
			return insertUnique(connection, job, args, key);
		}
		try (PreparedStatement statement = connection.prepareStatement(this.sql.insert)) {
			set(statement, job, args);
			try (ResultSet row = statement.executeQuery()) {
				row.next();
				return Inserted.all(List.of(row.getLong(1)));
			}
		}
	}

	private Inserted insertUnique(Connection connection, NewJob job, NewArgs args, String key) throws SQLException {
		for (int round = 0; round < ROUNDS; round++) {
			try (PreparedStatement statement = connection.prepareStatement(this.sql.insertUnique)) {
				set(statement, job, args);
				statement.setString(8, key);
				statement.setBoolean(9, job.untilStarted());
				try (ResultSet row = statement.executeQuery()) {
					if (row.next()) {
						return Inserted.all(List.of(row.getLong(1)));
					}
				}
			}
			Long live = findUnique(connection, List.of(key)).get(key);
			if (live != null) {
				return new Inserted(List.of(live), List.of());
			}
		}
		throw undecided(job);
	}

	private static void set(PreparedStatement statement, NewJob job, NewArgs args) throws SQLException {
		statement.setString(1, job.queue());
		statement.setString(2, job.name());
		statement.setString(3, args.args());
		Db.setTime(statement, 4, job);
		statement.setString(6, args.batchKey());
		statement.setString(7, job.metadata());
	}

	@Override
	public Inserted insertMany(Connection connection, NewJob job, List<NewArgs> each) throws SQLException {
		boolean keyless = each.stream().allMatch((args) -> args.uniqueKey() == null);
		if (keyless && JobCopy.suits(connection, each)) {
			return Inserted.all(this.copy.write(connection, job, each));
		}
		boolean plain = keyless && each.stream().allMatch((args) -> args.batchKey() == null);
		return plain ? insertPlain(connection, job, each) : insertManyUnique(connection, job, each);
	}

	private Inserted insertPlain(Connection connection, NewJob job, List<NewArgs> each) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.sql.insertMany)) {
			statement.setString(1, job.queue());
			statement.setString(2, job.name());
			Db.setTime(statement, 3, job);
			statement.setString(5, job.metadata());
			Db.setEach(statement, 6, "text", each, String[]::new, NewArgs::args);
			return Inserted.all(Db.ids(statement));
		}
	}

	private Inserted insertManyUnique(Connection connection, NewJob job, List<NewArgs> each) throws SQLException {
		// The first of each key; in the order of the keys, so that two who dispatch the
		// same ones wait for each other instead of dying in a deadlock.
		Map<String, NewArgs> unique = new LinkedHashMap<>();
		List<NewArgs> keyless = new ArrayList<>();
		for (NewArgs args : each) {
			if (args.uniqueKey() == null) {
				keyless.add(args);
			}
			else {
				unique.putIfAbsent(args.uniqueKey(), args);
			}
		}
		Map<String, Long> live = new HashMap<>();
		Set<String> fresh = new HashSet<>();
		for (int round = 0; round < ROUNDS && live.size() < unique.size(); round++) {
			List<NewArgs> missing = unique.values()
				.stream()
				.filter((args) -> !live.containsKey(args.uniqueKey()))
				.sorted((a, b) -> String.valueOf(a.uniqueKey()).compareTo(String.valueOf(b.uniqueKey())))
				.toList();
			insertChunk(connection, job, missing, live, null);
			List<String> taken = new ArrayList<>();
			for (NewArgs args : missing) {
				String key = String.valueOf(args.uniqueKey());
				(live.containsKey(key) ? fresh : taken).add(key);
			}
			if (!taken.isEmpty()) {
				live.putAll(findUnique(connection, taken));
			}
		}
		if (live.size() < unique.size()) {
			throw undecided(job);
		}
		List<Long> rest = new ArrayList<>();
		if (!keyless.isEmpty()) {
			insertChunk(connection, job, keyless, live, rest);
		}
		List<Long> ids = new ArrayList<>(each.size());
		List<Long> added = new ArrayList<>(each.size());
		int next = 0;
		for (NewArgs args : each) {
			String key = args.uniqueKey();
			Long id = (key != null) ? live.get(key) : rest.get(next++);
			ids.add(id);
			// Those that share a key are one job.
			if (key == null || fresh.remove(key)) {
				added.add(id);
			}
		}
		return new Inserted(ids, added);
	}

	private void insertChunk(Connection connection, NewJob job, List<NewArgs> each, Map<String, Long> live,
			@Nullable List<Long> keyless) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.sql.insertManyUnique)) {
			statement.setString(1, job.queue());
			statement.setString(2, job.name());
			Db.setTime(statement, 3, job);
			statement.setString(5, job.metadata());
			statement.setBoolean(6, job.untilStarted());
			Db.setEach(statement, 7, "text", each, String[]::new, NewArgs::args);
			Db.setEach(statement, 8, "text", each, String[]::new, NewArgs::batchKey);
			Db.setEach(statement, 9, "text", each, String[]::new, NewArgs::uniqueKey);
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					String key = row.getString(2);
					if (key != null) {
						live.put(key, row.getLong(1));
					}
					else if (keyless != null) {
						keyless.add(row.getLong(1));
					}
				}
			}
		}
	}

	private Map<String, Long> findUnique(Connection connection, List<String> keys) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.sql.findUnique)) {
			statement.setArray(1, Db.texts(statement, keys));
			Map<String, Long> live = new HashMap<>();
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					live.put(row.getString(1), row.getLong(2));
				}
			}
			return live;
		}
	}

	private static SQLException undecided(NewJob job) {
		return new SQLException("The unique key of job " + job.name() + " was taken and freed " + ROUNDS
				+ " times while it was dispatched", "40001");
	}

	@Override
	public void register(String queue) {
		this.queues.registerQueues(Set.of(queue));
	}

}
