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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.IntStream;

import javax.sql.DataSource;

/**
 * Claims and settles in PostgreSQL.
 */
final class PostgresJobStore implements JobStore {

	private final Db db;

	private final ClaimSql claims;

	private final LookSql looks;

	private final SettledJobs settled;

	private final Channel channel;

	PostgresJobStore(DataSource dataSource, Duration timeout, Sql sql, Channel channel, boolean history) {
		this.db = new Db(dataSource, timeout);
		this.claims = new ClaimSql(sql);
		this.looks = new LookSql(sql);
		this.settled = new SettledJobs(this.db, sql, history);
		this.channel = channel;
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
		return this.db.run("look for the first items", this.looks.firstWaiting, (statement) -> {
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
		return this.db.run("look for jobs", this.looks.look, (statement) -> {
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
		return this.db.run("look for the next due job", this.looks.nextDue, (statement) -> {
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
		return this.db.run("look for the ends of queues", this.looks.ends, (statement) -> {
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
		return this.db.run("look for the newest job", this.looks.newest,
				(statement) -> Db.one(statement, (row) -> new Newest(row.getLong(1), row.getDouble(2))));
	}

	@Override
	public <S extends Settlement> Set<Long> settle(Class<S> kind, List<S> batch) {
		return this.settled.settle(kind, batch);
	}

	@Override
	public boolean settle(Connection connection, Settlement.Succeeded success) throws SQLException {
		return this.settled.settle(connection, success);
	}

	@Override
	public Set<Long> locked(Collection<Long> ids) {
		return this.settled.locked(ids);
	}

	@Override
	public Set<Long> live(Collection<Long> ids) {
		return this.settled.live(ids);
	}

	@Override
	public Set<Long> regroup(List<Regrouped> items) {
		return this.settled.regroup(items);
	}

	@Override
	public SearchStep releaseLost(long worker, Collection<Long> known, long page) {
		return this.settled.releaseLost(worker, known, page);
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
