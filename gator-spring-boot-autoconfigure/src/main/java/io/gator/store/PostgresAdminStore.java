package io.gator.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.QueueInfo;
import io.gator.RecurringInfo;
import io.gator.WorkerInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at jobs in PostgreSQL and acts on them.
 */
final class PostgresAdminStore implements AdminStore {

	private static final Logger logger = LoggerFactory.getLogger(PostgresAdminStore.class);

	private static final int MAX_HELD_UP = 3;

	/** How long a page may take at most: somebody waits for it. */
	private static final Duration LONGEST_PAGE = Duration.ofMinutes(1);

	/**
	 * At most how many jobs a page may pass over along the key, which takes a few
	 * milliseconds.
	 */
	static final int ALONG_KEY = 10_000;

	private static final Reading<StoredJob> JOBS = new Reading<>(AdminSql.WHOLE, PostgresAdminStore::job,
			StoredJob::id);

	private static final Reading<Keyed> KEYS = new Reading<>(AdminSql.KEYS,
			(row) -> new Keyed(row.getLong(1), row.getString(2)), Keyed::id);

	private final Db db;

	/**
	 * For actions that stop an incident: people who list jobs in the same incident must
	 * not hold them up.
	 */
	private final Db urgent;

	private final Sql statements;

	private final AdminSql sql;

	private final Channel channel;

	PostgresAdminStore(Db db, Sql sql, Channel channel) {
		this.db = db;
		this.urgent = db.withoutPermit();
		this.statements = sql;
		this.sql = new AdminSql(sql);
		this.channel = channel;
	}

	@Override
	public Optional<StoredJob> find(long id) {
		try {
			return this.db.run("find a job", this.sql.find, (statement) -> {
				statement.setLong(1, id);
				return Db.list(statement, PostgresAdminStore::job).stream().findFirst();
			});
		}
		catch (StoreException ex) {
			if (!ex.isTimeout()) {
				throw ex;
			}
			return findInHistory(id);
		}
	}

	/** A history that cannot be searched at once is searched part by part. */
	private Optional<StoredJob> findInHistory(long id) {
		return Stream.of(JobState.SUCCEEDED, JobState.CANCELLED)
			.flatMap((state) -> listByRanges(JobQuery.of(state).after(id - 1).limit(1), JOBS).stream())
			.filter((job) -> job.id() == id)
			.findFirst();
	}

	@Override
	public List<StoredJob> list(JobQuery query) {
		return list(query, JOBS);
	}

	/**
	 * Follows the primary key first, for up to {@link #ALONG_KEY} jobs: most pages are
	 * full by then. If a page is not, most jobs do not match the query, and going on
	 * along the key would cost ten times as much as reading the table in the order of its
	 * disk pages. The history has no such key.
	 */
	private <T> List<T> list(JobQuery query, Reading<T> reading) {
		if (query.state() != JobState.SUCCEEDED && query.state() != JobState.CANCELLED) {
			OptionalLong further = further(query);
			List<T> page = this.db.run("list jobs", this.sql.list(query.state(), reading.columns()), (statement) -> {
				filter(statement, query, further.orElse(Long.MAX_VALUE));
				statement.setInt(7, query.limit());
				return Db.list(statement, reading.row());
			});
			if (further.isEmpty() || page.size() == query.limit()) {
				return page;
			}
		}
		return listByRanges(query, reading);
	}

	private OptionalLong further(JobQuery query) {
		return this.db.run("list jobs", this.sql.further(query.state()), (statement) -> {
			statement.setLong(1, query.after());
			statement.setInt(2, ALONG_KEY);
			List<Long> id = Db.ids(statement);
			return id.isEmpty() ? OptionalLong.empty() : OptionalLong.of(id.get(0));
		});
	}

	private <T> List<T> listByRanges(JobQuery query, Reading<T> reading) {
		TreeMap<Long, T> page = new TreeMap<>();
		long end = new TablePages(this.db, this.statements, AdminSql.table(query.state())).count();
		long begun = System.nanoTime();
		for (long first = 0; first < end; first += TablePages.RANGE) {
			if (System.nanoTime() - begun > LONGEST_PAGE.toNanos()) {
				throw StoreException.tooLong("list jobs", "the table is too large to be read within "
						+ LONGEST_PAGE.toSeconds() + " s; look into it with SQL");
			}
			long from = first;
			long upTo = (page.size() < query.limit()) ? Long.MAX_VALUE : page.lastKey();
			this.db.run("list jobs", this.sql.listInRange(query.state(), reading.columns()), (statement) -> {
				filter(statement, query, upTo);
				TablePages.setRange(statement, 7, from);
				statement.setInt(9, query.limit());
				return Db.list(statement, reading.row());
			}).forEach((job) -> page.put(reading.id().applyAsLong(job), job));
			while (page.size() > query.limit()) {
				page.pollLastEntry();
			}
		}
		return List.copyOf(page.values());
	}

	@Override
	public Cancellation cancel(long id) {
		return this.urgent.run("cancel a job", this.sql.cancel, (statement) -> {
			statement.setLong(1, id);
			return Db.one(statement, (row) -> (row.getLong(1) > 0) ? Cancellation.DONE
					: (row.getLong(2) > 0) ? Cancellation.ASKED : Cancellation.NOTHING);
		});
	}

	/**
	 * Another transaction that dispatches the unique key of the job may commit after this
	 * statement has taken its snapshot. The statement does not see the other job and
	 * fails with a duplicate key. The second attempt sees that job and leaves the key to
	 * it.
	 */
	@Override
	public Optional<String> retry(long id) {
		try {
			return retryNow(id);
		}
		catch (StoreException ex) {
			if (!ex.isDuplicateKey()) {
				throw ex;
			}
			return retryNow(id);
		}
	}

	private Optional<String> retryNow(long id) {
		return this.db.run("retry a job", this.sql.retry, (statement) -> {
			statement.setLong(1, id);
			statement.setLong(2, id);
			return queue(statement);
		});
	}

	@Override
	public Optional<String> reschedule(long id, Instant time) {
		return this.db.run("reschedule a job", this.sql.reschedule, (statement) -> {
			statement.setObject(1, Db.time(time), Types.TIMESTAMP_WITH_TIMEZONE);
			statement.setLong(2, id);
			return queue(statement);
		});
	}

	@Override
	public boolean discard(long id) {
		return this.db.run("discard a job", this.sql.discard, (statement) -> {
			statement.setLong(1, id);
			return count(statement) > 0;
		});
	}

	/**
	 * A transaction that is just dispatching a unique key holds up the dead job that had
	 * the key, and with it all jobs that are retried in one statement. So after a
	 * conflict the jobs are retried one by one.
	 */
	@Override
	public List<Retried> retrySome(JobQuery query) {
		try {
			return retryTogether(query);
		}
		catch (StoreException ex) {
			if (!ex.isConflict()) {
				throw ex;
			}
			return retryApart(list(query, KEYS));
		}
	}

	private List<Retried> retryApart(List<Keyed> jobs) {
		List<Retried> retried = new ArrayList<>();
		int heldUp = 0;
		for (Keyed job : jobs) {
			try {
				retried.add(new Retried(job.id(), retry(job.id()).orElse(null)));
			}
			catch (StoreException ex) {
				// Each job that is held up waits for a time-out. If there are many, the
				// reason is not a key, or it is one dispatch that takes its time: going
				// on is of no use.
				if (job.uniqueKey() == null || !ex.isConflict() || ++heldUp > MAX_HELD_UP) {
					throw ex;
				}
				logger.warn("Job {} stays dead, and can be retried again: {}", job.id(), ex.getMessage());
				retried.add(new Retried(job.id(), null));
			}
		}
		return retried;
	}

	private List<Retried> retryTogether(JobQuery query) {
		return this.db.run("retry jobs", this.sql.retrySome, (statement) -> {
			page(statement, query);
			return Db.list(statement, (row) -> new Retried(row.getLong(1), row.getString(2)));
		});
	}

	/**
	 * Along the key it may take longer than a statement may to come to jobs that are
	 * rare. Then they are looked for in the order of the table's pages.
	 */
	@Override
	public List<Discarded> discardSome(JobQuery query) {
		try {
			return this.db.run("discard jobs", this.sql.discardSome, (statement) -> {
				page(statement, query);
				return Db.list(statement, (row) -> new Discarded(row.getLong(1), true));
			});
		}
		catch (StoreException ex) {
			if (!ex.isTimeout()) {
				throw ex;
			}
			return list(query, KEYS).stream().map((job) -> new Discarded(job.id(), discard(job.id()))).toList();
		}
	}

	@Override
	public void pause(String queue) {
		this.urgent.update("pause a queue", this.sql.pause, (statement) -> statement.setString(1, queue));
	}

	@Override
	public void resume(String queue) {
		this.urgent.update("resume a queue", this.sql.resume, (statement) -> statement.setString(1, queue));
	}

	@Override
	public List<QueueInfo> queues() {
		return this.db.run("count jobs", this.sql.queues, (statement) -> Db.list(statement, (row) -> {
			double oldest = row.getDouble("oldest");
			Duration age = row.wasNull() ? null : Duration.ofMillis(Math.max(0, Math.round(oldest * 1000)));
			return new QueueInfo(row.getString("name"), row.getBoolean("paused"), row.getLong("waiting"),
					row.getLong("scheduled"), row.getLong("running"), row.getLong("failed"), row.getLong("dead"), age);
		}));
	}

	@Override
	public List<WorkerInfo> workers() {
		return this.db.run("look at the pools", this.sql.workers,
				(statement) -> Db.list(statement,
						(row) -> new WorkerInfo(row.getLong("id"), row.getString("pool"), row.getString("host"),
								row.getLong("pid"), Db.knownInstant(row, "started_at"), Db.knownInstant(row, "beat_at"),
								Db.texts(row, "queues"), row.getInt("slots"), row.getInt("busy"))));
	}

	@Override
	public List<RecurringInfo> recurring() {
		return this.db.run("look at the recurring jobs", this.sql.recurring,
				(statement) -> Db.list(statement, (row) -> new RecurringInfo(row.getString("name"),
						row.getString("schedule"), Db.instant(row, "last_tick"), Db.instant(row, "next_tick"))));
	}

	@Override
	public void notifyChange() {
		this.channel.notifyChange(this.urgent);
	}

	private static void page(PreparedStatement statement, JobQuery query) throws SQLException {
		filter(statement, query);
		statement.setInt(6, query.limit());
	}

	private static void filter(PreparedStatement statement, JobQuery query, long upTo) throws SQLException {
		filter(statement, query);
		statement.setLong(6, upTo);
	}

	private static void filter(PreparedStatement statement, JobQuery query) throws SQLException {
		statement.setString(1, query.queue());
		statement.setString(2, query.queue());
		statement.setString(3, query.name());
		statement.setString(4, query.name());
		statement.setLong(5, query.after());
	}

	private static Optional<String> queue(PreparedStatement statement) throws SQLException {
		return Db.list(statement, (row) -> row.getString(1)).stream().findFirst();
	}

	private static int count(PreparedStatement statement) throws SQLException {
		return Db.one(statement, (row) -> row.getInt(1));
	}

	private static StoredJob job(ResultSet row) throws SQLException {
		long worker = row.getLong("worker_id");
		Long workerId = row.wasNull() ? null : worker;
		return new StoredJob(row.getLong("id"), row.getString("queue"), row.getString("name"),
				JobState.valueOf(row.getString("state")), row.getInt("attempts"), Db.knownInstant(row, "created_at"),
				Db.instant(row, "due_at"), Db.instant(row, "claimed_at"), workerId, Db.instant(row, "last_executed_at"),
				Db.instant(row, "finished_at"), row.getString("error_details"), row.getString("unique_key"),
				row.getString("args"), row.getString("result"), row.getString("metadata"));
	}

	/**
	 * What is read of the jobs of a page.
	 *
	 * @param <T> what it makes of them
	 * @param columns the columns
	 * @param row reads one job
	 * @param id its id
	 */
	private record Reading<T>(String columns, Db.Row<T> row, ToLongFunction<T> id) {

	}

	/**
	 * A job, and the unique key that it had.
	 *
	 * @param id its id
	 * @param uniqueKey its unique key, or {@code null}
	 */
	private record Keyed(long id, @Nullable String uniqueKey) {

	}

}
