package io.gator.store;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;

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

	/** As it is written in a transaction of the application's. */
	private final String successWithin;

	private final String chainedSuccessWithin;

	PostgresJobStore(DataSource dataSource, Duration timeout, Sql sql, Channel channel, boolean history) {
		this.db = new Db(dataSource, timeout);
		this.reserved = new ReservedJobs(this.db, sql);
		this.claims = new ClaimSql(sql);
		this.settlements = new SettleSql(sql);
		this.channel = channel;
		this.history = history;
		this.successWithin = EngineSettings.around(success(false));
		this.chainedSuccessWithin = EngineSettings.around(success(true));
	}

	@Override
	public Duration statementTimeout() {
		return this.db.timeout();
	}

	@Override
	public List<ClaimedJob> claim(ClaimRequest request) {
		return this.db.run("claim jobs", this.claims.claim(request), (statement) -> {
			setClaim(statement, request);
			return Db.list(statement, PostgresJobStore::claimed);
		});
	}

	@Override
	public List<List<ClaimedJob>> claimBatches(BatchRequest request) {
		return this.db.run("claim batches", this.claims.claimBatches, (statement) -> {
			setBatchRequest(statement, request);
			statement.setInt(13, request.total());
			statement.setLong(14, request.worker());
			ClaimedBatches batches = new ClaimedBatches(request);
			try (ResultSet row = statement.executeQuery()) {
				while (row.next()) {
					batches.add(claimed(row), row.getString(13), row.getObject(14, Integer.class));
				}
			}
			return batches.toList();
		});
	}

	@Override
	public WaitingBatches lookForBatches(BatchRequest request) {
		return this.db.run("look for batches", this.claims.lookForBatches, (statement) -> {
			setBatchRequest(statement, request);
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

	private void setBatchRequest(PreparedStatement statement, BatchRequest request) throws SQLException {
		List<BatchRequest.Buffered> jobs = request.jobs();
		Db.setTexts(statement, 1, jobs, (job) -> joined(job.names()));
		Db.setInts(statement, 2, jobs, BatchRequest.Buffered::size);
		Db.setInts(statement, 3, jobs, BatchRequest.Buffered::batches);
		Db.setDoubles(statement, 4, jobs, (job) -> Db.seconds(job.maxWait()));
		Db.setInts(statement, 5, jobs, BatchRequest.Buffered::window);
		Db.setBooleans(statement, 6, jobs, BatchRequest.Buffered::keyed);
		statement.setDouble(7, request.dueAfter());
		statement.setArray(8, Db.texts(statement, jobs.stream().flatMap((job) -> job.names().stream()).toList()));
		statement.setArray(9, Db.texts(statement, request.queues()));
		List<List<Long>> afters = IntStream.range(0, request.queues().size())
			.mapToObj((queue) -> jobs.stream().map((job) -> job.after().get(queue)).toList())
			.toList();
		Db.setLongs(statement, 10, afters, Collections::min);
		statement.setBoolean(11, !this.claims.looksFirst(request));
		Db.setLongs(statement, 12, afters.stream().flatMap(List::stream).toList(), Long::longValue);
	}

	@Override
	public Map<String, Long> firstWaiting(Set<String> names, List<BatchRequest.From> queues) {
		return this.db.run("look for the first items", this.claims.firstWaiting, (statement) -> {
			statement.setArray(1, Db.texts(statement, names));
			Db.setTexts(statement, 2, queues, BatchRequest.From::queue);
			Db.setLongs(statement, 3, queues, BatchRequest.From::after);
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
			Db.setLongs(statement, 1, items, Regrouped::id);
			Db.setLongs(statement, 2, items, Regrouped::lease);
			Db.setTexts(statement, 3, items, Regrouped::batchKey);
			return new HashSet<>(Db.ids(statement));
		});
	}

	static void setClaim(PreparedStatement statement, ClaimRequest request) throws SQLException {
		List<ClaimRequest.Share> shares = request.queues();
		Db.setTexts(statement, 1, shares, ClaimRequest.Share::queue);
		Db.setInts(statement, 2, shares, ClaimRequest.Share::quota);
		Db.setLongs(statement, 3, shares, ClaimRequest.Share::after);
		Db.setDoubles(statement, 4, shares, ClaimRequest.Share::dueAfter);
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
			Db.setInts(statement, 1, places, Place::number);
			Db.setTexts(statement, 2, places, Place::names);
			Db.setTexts(statement, 3, places, (place) -> place.from().queue());
			Db.setLongs(statement, 4, places, (place) -> place.from().after());
			Db.setDoubles(statement, 5, places, (place) -> place.from().dueAfter());
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
	public Ends ends(Collection<String> queues, long after) {
		return this.db.run("look for the ends of queues", this.claims.ends, (statement) -> {
			statement.setArray(1, Db.texts(statement, queues));
			statement.setLong(2, after);
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
	public Newest newest() {
		return this.db.run("look for the newest job", this.claims.newest,
				(statement) -> Db.one(statement, (row) -> new Newest(row.getLong(1), row.getDouble(2))));
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
		try (PreparedStatement statement = StatementWithSettings.prepare(connection,
				chained ? this.chainedSuccessWithin : this.successWithin)) {
			successes(statement, List.of(success), chained);
			return lost(statement).isEmpty();
		}
	}

	@Override
	public Set<Long> live(Collection<Long> ids) {
		return this.db.run("look for jobs that are not over", this.settlements.live, (statement) -> {
			statement.setArray(1, Db.longs(statement, ids));
			return Set.copyOf(Db.ids(statement));
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
			Db.setTexts(statement, 3, batch, Settlement.Succeeded::result);
		}
		if (chained) {
			nextJobs(statement, 4, batch);
			statement.setBoolean(9, this.history);
		}
	}

	private Set<Long> requeue(List<Settlement.Requeued> batch) {
		return this.db.run("settle jobs", this.settlements.requeue, (statement) -> {
			idsAndLeases(statement, batch);
			Db.setDoubles(statement, 3, batch, (back) -> Db.seconds(back.delay()));
			Db.setTexts(statement, 4, batch, Settlement.Requeued::queue);
			Db.setTexts(statement, 5, batch, Settlement.Requeued::error);
			Db.setInts(statement, 6, batch, (back) -> back.charged() ? 0 : 1);
			Db.setInts(statement, 7, batch, (back) -> (back.batchLimit() > 0) ? back.batchLimit() : null);
			return lost(statement);
		});
	}

	private Set<Long> bury(List<Settlement.Died> batch) {
		return this.db.run("settle jobs", this.settlements.bury, (statement) -> {
			idsAndLeases(statement, batch);
			Db.setTexts(statement, 3, batch, Settlement.Died::error);
			Db.setInts(statement, 4, batch, (dead) -> dead.charged() ? 0 : 1);
			nextJobs(statement, 5, batch);
			return lost(statement);
		});
	}

	private Set<Long> cancel(List<Settlement.Cancelled> batch) {
		return this.db.run("settle jobs", this.settlements.cancel, (statement) -> {
			idsAndLeases(statement, batch);
			Db.setTexts(statement, 3, batch, Settlement.Cancelled::reason);
			return lost(statement);
		});
	}

	private static void idsAndLeases(PreparedStatement statement, List<? extends Settlement> batch)
			throws SQLException {
		Db.setLongs(statement, 1, batch, Settlement::id);
		Db.setLongs(statement, 2, batch, Settlement::lease);
	}

	private static void nextJobs(PreparedStatement statement, int index, List<? extends Settlement> batch)
			throws SQLException {
		eachNext(statement, index, batch, Settlement.NextJob::queue);
		eachNext(statement, index + 1, batch, Settlement.NextJob::name);
		eachNext(statement, index + 2, batch, Settlement.NextJob::args);
		eachNext(statement, index + 3, batch, Settlement.NextJob::batchKey);
		eachNext(statement, index + 4, batch, Settlement.NextJob::metadata);
	}

	private static void eachNext(PreparedStatement statement, int index, List<? extends Settlement> batch,
			Function<Settlement.NextJob, @Nullable String> value) throws SQLException {
		Db.setTexts(statement, index, batch, (settlement) -> {
			Settlement.NextJob next = settlement.next();
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

}
