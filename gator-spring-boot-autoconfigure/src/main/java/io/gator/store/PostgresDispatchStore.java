package io.gator.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Writes new jobs into PostgreSQL.
 */
final class PostgresDispatchStore implements DispatchStore {

	/**
	 * How often a unique key may be found taken and free again. Each round means that a
	 * job with this key ended just then.
	 */
	private static final int ROUNDS = 100;

	/** How often the keys of a bulk are let go, to be taken in their order again. */
	private static final int RESTARTS = 5;

	private final WorkerStore workers;

	private final DispatchSql sql;

	private final JobCopy copy;

	PostgresDispatchStore(WorkerStore workers, Sql sql) {
		this.workers = workers;
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
				DispatchSql.requireAll(job, 1, row.next() ? 1 : 0);
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
		DispatchSql.setTime(statement, 4, job);
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
		return plain ? insertPlain(connection, job, each) : insertWithKeys(connection, job, each);
	}

	private Inserted insertPlain(Connection connection, NewJob job, List<NewArgs> each) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.sql.insertMany)) {
			statement.setString(1, job.queue());
			statement.setString(2, job.name());
			DispatchSql.setTime(statement, 3, job);
			statement.setString(5, job.metadata());
			Db.setTexts(statement, 6, each, NewArgs::args);
			List<Long> ids = Db.ids(statement);
			DispatchSql.requireAll(job, each.size(), ids.size());
			return Inserted.all(ids);
		}
	}

	private Inserted insertWithKeys(Connection connection, NewJob job, List<NewArgs> each) throws SQLException {
		Keyed keyed = insertOnePerKey(connection, job, each);
		List<NewArgs> keyless = each.stream().filter((args) -> args.uniqueKey() == null).toList();
		List<Long> rest = keyless.isEmpty() ? List.of() : insertRows(connection, job, keyless, Db::ids);
		DispatchSql.requireAll(job, keyless.size(), rest.size());
		Iterator<Long> next = rest.iterator();
		List<Long> ids = new ArrayList<>(each.size());
		List<Long> added = new ArrayList<>(each.size());
		for (NewArgs args : each) {
			String key = args.uniqueKey();
			Long id = (key != null) ? keyed.ids().get(key) : next.next();
			ids.add(id);
			// Those that share a key are one job.
			if (key == null || keyed.fresh().remove(key)) {
				added.add(id);
			}
		}
		return new Inserted(ids, added);
	}

	private Keyed insertOnePerKey(Connection connection, NewJob job, List<NewArgs> each) throws SQLException {
		Keyed keyed = Keyed.allMissing(each);
		Savepoint before = (keyed.missing().size() > 1) ? connection.setSavepoint() : null;
		for (int round = 0; round < ROUNDS && !keyed.missing().isEmpty(); round++) {
			insertMissing(connection, job, keyed);
			// A key was freed after its turn. To take it now, while later ones are held,
			// would be out of order, so they are let go. Not without end: keys may be
			// freed all the time.
			if (before != null && round < RESTARTS && keyed.holdsOneAfterAMissingOne()) {
				connection.rollback(before);
				keyed = Keyed.allMissing(each);
			}
		}
		if (!keyed.missing().isEmpty()) {
			throw undecided(job);
		}
		return keyed;
	}

	private void insertMissing(Connection connection, NewJob job, Keyed keyed) throws SQLException {
		Map<String, Long> fresh = insertRows(connection, job, List.copyOf(keyed.missing().values()),
				PostgresDispatchStore::byKey);
		keyed.fresh().addAll(fresh.keySet());
		keyed.found(fresh);
		if (!keyed.missing().isEmpty()) {
			keyed.found(findUnique(connection, keyed.missing().keySet()));
		}
	}

	private <T> T insertRows(Connection connection, NewJob job, List<NewArgs> each, Db.Work<T> work)
			throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.sql.insertManyWithKeys)) {
			statement.setString(1, job.queue());
			statement.setString(2, job.name());
			DispatchSql.setTime(statement, 3, job);
			statement.setString(5, job.metadata());
			statement.setBoolean(6, job.untilStarted());
			Db.setTexts(statement, 7, each, NewArgs::args);
			Db.setTexts(statement, 8, each, NewArgs::batchKey);
			Db.setTexts(statement, 9, each, NewArgs::uniqueKey);
			return work.run(statement);
		}
	}

	private Map<String, Long> findUnique(Connection connection, Collection<String> keys) throws SQLException {
		try (PreparedStatement statement = connection.prepareStatement(this.sql.findUnique)) {
			Db.planEachTime(statement);
			statement.setArray(1, Db.texts(statement, keys));
			return byKey(statement);
		}
	}

	private static Map<String, Long> byKey(PreparedStatement statement) throws SQLException {
		Map<String, Long> ids = new HashMap<>();
		try (ResultSet row = statement.executeQuery()) {
			while (row.next()) {
				ids.put(row.getString("unique_key"), row.getLong("id"));
			}
		}
		return ids;
	}

	private static SQLException undecided(NewJob job) {
		return new SQLException("Job " + job.name() + " was not written in " + ROUNDS
				+ " tries, though no live job has its unique key: a trigger, a rule or a policy on gator_job keeps rows "
				+ "out, or the key was taken and freed each time", "27000");
	}

	@Override
	public void register(String queue) {
		this.workers.registerQueues(Set.of(queue));
	}

	/**
	 * The jobs that have unique keys.
	 *
	 * @param ids the live job of each key
	 * @param fresh the keys of those that were not there before
	 * @param missing what is to have a job and has none yet, in the order of the keys, as
	 * all chunks of a bulk are: two dispatches of the same keys wait for each other
	 * instead of dying in a deadlock
	 */
	private record Keyed(Map<String, Long> ids, Set<String> fresh, SortedMap<String, NewArgs> missing) {

		static Keyed allMissing(List<NewArgs> each) {
			SortedMap<String, NewArgs> firstOfEachKey = new TreeMap<>();
			for (NewArgs args : each) {
				if (args.uniqueKey() != null) {
					firstOfEachKey.putIfAbsent(args.uniqueKey(), args);
				}
			}
			return new Keyed(new HashMap<>(), new HashSet<>(), firstOfEachKey);
		}

		void found(Map<String, Long> found) {
			this.ids.putAll(found);
			this.missing.keySet().removeAll(found.keySet());
		}

		boolean holdsOneAfterAMissingOne() {
			return !this.missing.isEmpty()
					&& this.fresh.stream().anyMatch((key) -> key.compareTo(this.missing.firstKey()) > 0);
		}

	}

}
