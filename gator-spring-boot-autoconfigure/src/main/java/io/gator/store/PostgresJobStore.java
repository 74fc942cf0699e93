package io.gator.store;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

/**
 * Claims and settles in PostgreSQL.
 */
final class PostgresJobStore implements JobStore {

	private static final int RELEASED_AT_ONCE = 5_000;

	private final Db db;

	private final ReservedJobs reserved;

	private final ClaimSql claims;

	private final SettleSql settlements;

	private final Channel channel;

	private final boolean history;

	PostgresJobStore(DataSource dataSource, Duration timeout, Sql sql, Channel channel, boolean history) {
		this.db = new Db(dataSource, timeout);
		this.reserved = new ReservedJobs(this.db, sql);
		this.claims = new ClaimSql(sql);
		this.settlements = new SettleSql(sql);
		this.channel = channel;
		this.history = history;
	}

	@Override
	public Duration statementTimeout() {
		return this.db.timeout();
	}

	@Override
	public List<ClaimedJob> claim(ClaimRequest request) {
		return this.db.run("claim jobs", this.claims.claim, (statement) -> {
			setClaim(statement, request);
			return Db.list(statement, PostgresJobStore::claimed);
		});
	}

	@Override
	public List<ClaimedJob> claimBatches(BatchRequest request) {
		return this.db.run("claim batches", this.claims.claimBatches, (statement) -> {
			setBatchPlaces(statement, request);
			statement.setInt(9, request.total());
			statement.setLong(10, request.worker());
			return Db.list(statement, PostgresJobStore::claimed);
		});
	}

	@Override
	public WaitingBatches lookForBatches(BatchRequest request) {
		return this.db.run("look for batches", this.claims.lookForBatches, (statement) -> {
			setBatchPlaces(statement, request);
			Set<Integer> ready = new HashSet<>();
			Set<Integer> more = new HashSet<>();
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					int number = row.getInt(1);
					if (row.getBoolean(2)) {
						ready.add(number);
					}
					if (row.getBoolean(3)) {
						more.add(number);
					}
				}
			}
			return new WaitingBatches(ready, more);
		});
	}

	private static void setBatchPlaces(PreparedStatement statement, BatchRequest request) throws SQLException {
		List<BatchPlace> places = new ArrayList<>();
		for (int n = 0; n < request.jobs().size(); n++) {
			BatchRequest.Buffered job = request.jobs().get(n);
			for (BatchRequest.From from : job.queues()) {
				places.add(new BatchPlace(n, job, from));
			}
		}
		Db.setEach(statement, 1, "int4", places, Integer[]::new, BatchPlace::number);
		Db.setEach(statement, 2, "text", places, String[]::new, (place) -> joined(place.job().names()));
		Db.setEach(statement, 3, "int4", places, Integer[]::new, (place) -> place.job().size());
		Db.setEach(statement, 4, "float8", places, Double[]::new, (place) -> Db.seconds(place.job().maxWait()));
		Db.setEach(statement, 5, "int4", places, Integer[]::new, (place) -> place.job().window());
		Db.setEach(statement, 6, "bool", places, Boolean[]::new, (place) -> place.job().keyed());
		Db.setEach(statement, 7, "text", places, String[]::new, (place) -> place.from().queue());
		Db.setEach(statement, 8, "bigint", places, Long[]::new, (place) -> place.from().after());
	}

	@Override
	public Map<String, Long> firstWaiting(Set<String> names, List<BatchRequest.From> queues) {
		return this.db.run("look for the first items", this.claims.firstWaiting, (statement) -> {
			statement.setArray(1, Db.texts(statement, names));
			Db.setEach(statement, 2, "text", queues, String[]::new, BatchRequest.From::queue);
			Db.setEach(statement, 3, "bigint", queues, Long[]::new, BatchRequest.From::after);
			Map<String, Long> first = new HashMap<>();
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					first.put(row.getString(1), row.getLong(2));
				}
			}
			return first;
		});
	}

	@Override
	public Set<Long> regroup(List<Regrouped> items) {
		return this.db.run("regroup batches", this.settlements.regroup, (statement) -> {
			Db.setEach(statement, 1, "bigint", items, Long[]::new, Regrouped::id);
			Db.setEach(statement, 2, "bigint", items, Long[]::new, Regrouped::lease);
			Db.setEach(statement, 3, "text", items, String[]::new, Regrouped::batchKey);
			return new HashSet<>(Db.ids(statement));
		});
	}

	static void setClaim(PreparedStatement statement, ClaimRequest request) throws SQLException {
		List<ClaimRequest.Share> shares = request.queues();
		Db.setEach(statement, 1, "text", shares, String[]::new, ClaimRequest.Share::queue);
		Db.setEach(statement, 2, "int4", shares, Integer[]::new, ClaimRequest.Share::quota);
		Db.setEach(statement, 3, "bigint", shares, Long[]::new, ClaimRequest.Share::after);
		Db.setEach(statement, 4, "float8", shares, Double[]::new, ClaimRequest.Share::dueAfter);
		Array names = Db.texts(statement, request.names());
		statement.setArray(5, names);
		statement.setArray(6, names);
		statement.setInt(7, request.total());
		statement.setLong(8, request.worker());
	}

	/**
	 * One text instead of an array, because an array of arrays must be a rectangle. No
	 * name holds a comma.
	 */
	private static String joined(Set<String> names) {
		return String.join(",", names);
	}

	private static ClaimedJob claimed(ResultSet row) throws SQLException {
		double dueAt = row.getDouble(8);
		boolean delayed = !row.wasNull();
		return new ClaimedJob(row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getInt(5),
				row.getLong(6), row.getDouble(7), delayed ? dueAt : Double.NaN, row.getDouble(9), row.getBoolean(10),
				row.getBoolean(11), row.getString(12));
	}

	@Override
	public Set<LookRequest> look(List<LookRequest> requests) {
		return this.db.run("look for jobs", this.claims.look, (statement) -> {
			List<Place> places = new ArrayList<>();
			for (int n = 0; n < requests.size(); n++) {
				String names = joined(requests.get(n).names());
				for (ClaimRequest.Share from : requests.get(n).queues()) {
					places.add(new Place(n, names, from));
				}
			}
			Db.setEach(statement, 1, "int4", places, Integer[]::new, Place::number);
			Db.setEach(statement, 2, "text", places, String[]::new, Place::names);
			Db.setEach(statement, 3, "text", places, String[]::new, (place) -> place.from().queue());
			Db.setEach(statement, 4, "bigint", places, Long[]::new, (place) -> place.from().after());
			Db.setEach(statement, 5, "float8", places, Double[]::new, (place) -> place.from().dueAfter());
			return Set.copyOf(Db.list(statement, (row) -> requests.get(row.getInt(1))));
		});
	}

	@Override
	public NextDue nextDue(Collection<String> names, Collection<String> queues, double since) {
		return this.db.run("look for the next due job", this.claims.nextDue, (statement) -> {
			statement.setArray(1, Db.texts(statement, names));
			statement.setArray(2, Db.texts(statement, queues));
			statement.setDouble(3, since);
			return Db.one(statement, (row) -> {
				double now = row.getDouble(1);
				double seconds = row.getDouble(2);
				return new NextDue(now, row.wasNull() ? OptionalDouble.empty() : OptionalDouble.of(seconds));
			});
		});
	}

	@Override
	public Ends ends(Collection<String> queues) {
		return this.db.run("look for the ends of queues", this.claims.ends, (statement) -> {
			statement.setArray(1, Db.texts(statement, queues));
			double now = Double.NEGATIVE_INFINITY;
			Map<String, Long> last = new HashMap<>();
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					now = row.getDouble(3);
					long id = row.getLong(2);
					if (!row.wasNull()) {
						last.put(row.getString(1), id);
					}
				}
			}
			return new Ends(now, last);
		});
	}

	@Override
	public <S extends Settlement> Set<Long> settle(Class<S> kind, List<S> batch) {
		// In the order of the ids, like every statement that writes more than one row: of
		// two that meet, one then waits for the other, and they do not end in a deadlock.
		List<S> ordered = new ArrayList<>(batch);
		ordered.sort(Comparator.comparingLong(Settlement::id).thenComparingLong(Settlement::lease));
		if (kind == Settlement.Succeeded.class) {
			return succeed(cast(ordered));
		}
		if (kind == Settlement.Requeued.class) {
			return requeue(cast(ordered));
		}
		if (kind == Settlement.Died.class) {
			return bury(cast(ordered));
		}
		return cancel(cast(ordered));
	}

	@SuppressWarnings("unchecked")
	private static <S extends Settlement> List<S> cast(List<? extends Settlement> batch) {
		return (List<S>) batch;
	}

	private Set<Long> succeed(List<Settlement.Succeeded> batch) {
		boolean chained = batch.stream().anyMatch((success) -> success.next() != null);
		return this.db.run("settle jobs", success(chained), (statement) -> {
			successes(statement, batch, chained);
			return lost(statement);
		});
	}

	@Override
	public Set<Long> locked(Collection<Long> ids) {
		return this.db.run("look for jobs that others hold", this.settlements.locked, (statement) -> {
			statement.setArray(1, Db.longs(statement, ids));
			return Set.copyOf(Db.ids(statement));
		});
	}

	@Override
	public boolean settle(Connection connection, Settlement.Succeeded success) throws SQLException {
		boolean chained = success.next() != null;
		try (PreparedStatement statement = connection.prepareStatement(success(chained))) {
			Db.planEachTime(statement);
			successes(statement, List.of(success), chained);
			return lost(statement).isEmpty();
		}
	}

	@Override
	public boolean isOver(long id) {
		return this.db.run("look for a job", this.settlements.isOver, (statement) -> {
			statement.setLong(1, id);
			return Db.one(statement, (row) -> row.getBoolean(1));
		});
	}

	private String success(boolean chained) {
		return chained ? this.settlements.succeedInChain
				: this.history ? this.settlements.succeed : this.settlements.succeedWithoutHistory;
	}

	private void successes(PreparedStatement statement, List<Settlement.Succeeded> batch, boolean chained)
			throws SQLException {
		idsAndLeases(statement, batch);
		if (chained || this.history) {
			Db.setEach(statement, 3, "text", batch, String[]::new, Settlement.Succeeded::result);
		}
		if (chained) {
			links(statement, 4, batch);
			statement.setBoolean(9, this.history);
		}
	}

	private Set<Long> requeue(List<Settlement.Requeued> batch) {
		return this.db.run("settle jobs", this.settlements.requeue, (statement) -> {
			idsAndLeases(statement, batch);
			Db.setEach(statement, 3, "float8", batch, Double[]::new, (back) -> Db.seconds(back.delay()));
			Db.setEach(statement, 4, "text", batch, String[]::new, Settlement.Requeued::queue);
			Db.setEach(statement, 5, "text", batch, String[]::new, Settlement.Requeued::error);
			Db.setEach(statement, 6, "int4", batch, Integer[]::new, (back) -> back.charged() ? 0 : 1);
			Db.setEach(statement, 7, "int4", batch, Integer[]::new,
					(back) -> (back.batchLimit() > 0) ? back.batchLimit() : null);
			return lost(statement);
		});
	}

	private Set<Long> bury(List<Settlement.Died> batch) {
		return this.db.run("settle jobs", this.settlements.bury, (statement) -> {
			idsAndLeases(statement, batch);
			Db.setEach(statement, 3, "text", batch, String[]::new, Settlement.Died::error);
			Db.setEach(statement, 4, "int4", batch, Integer[]::new, (dead) -> dead.charged() ? 0 : 1);
			links(statement, 5, batch);
			return lost(statement);
		});
	}

	private Set<Long> cancel(List<Settlement.Cancelled> batch) {
		return this.db.run("settle jobs", this.settlements.cancel, (statement) -> {
			idsAndLeases(statement, batch);
			Db.setEach(statement, 3, "text", batch, String[]::new, Settlement.Cancelled::reason);
			return lost(statement);
		});
	}

	private static void idsAndLeases(PreparedStatement statement, List<? extends Settlement> batch)
			throws SQLException {
		Db.setEach(statement, 1, "bigint", batch, Long[]::new, Settlement::id);
		Db.setEach(statement, 2, "bigint", batch, Long[]::new, Settlement::lease);
	}

	private static void links(PreparedStatement statement, int index, List<? extends Settlement> batch)
			throws SQLException {
		eachLink(statement, index, batch, Settlement.Link::queue);
		eachLink(statement, index + 1, batch, Settlement.Link::name);
		eachLink(statement, index + 2, batch, Settlement.Link::args);
		eachLink(statement, index + 3, batch, Settlement.Link::batchKey);
		eachLink(statement, index + 4, batch, Settlement.Link::metadata);
	}

	private static void eachLink(PreparedStatement statement, int index, List<? extends Settlement> batch,
			Function<Settlement.Link, @Nullable String> value) throws SQLException {
		Db.setEach(statement, index, "text", batch, String[]::new, (settlement) -> {
			Settlement.Link next = settlement.next();
			return (next != null) ? value.apply(next) : null;
		});
	}

	private static Set<Long> lost(PreparedStatement statement) throws SQLException {
		return Set.copyOf(Db.ids(statement));
	}

	@Override
	public SearchStep releaseLost(long worker, Collection<Long> known, long page) {
		List<Long> lost = this.reserved.heldBy(List.of(worker), page);
		lost.removeAll(Set.copyOf(known));
		int released = 0;
		for (int from = 0; from < lost.size(); from += RELEASED_AT_ONCE) {
			List<Long> chunk = lost.subList(from, Math.min(lost.size(), from + RELEASED_AT_ONCE));
			released += this.db.update("release lost jobs", this.settlements.releaseLost, (statement) -> {
				statement.setArray(1, Db.longs(statement, chunk));
				statement.setLong(2, worker);
			});
		}
		return new SearchStep(released, lost.size() - released, this.reserved.after(page));
	}

	@Override
	public void notifyWork(Collection<String> queues) {
		this.channel.notifyWork(this.db, queues);
	}

	/**
	 * A queue that one request looks into.
	 */
	private record Place(int number, String names, ClaimRequest.Share from) {

	}

	/**
	 * A queue that is looked into for a buffered job.
	 */
	private record BatchPlace(int number, BatchRequest.Buffered job, BatchRequest.From from) {

	}

}
