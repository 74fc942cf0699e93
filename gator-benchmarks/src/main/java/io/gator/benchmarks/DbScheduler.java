package io.gator.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;

/**
 * db-scheduler, polling with lock-and-fetch, which is its fastest way on PostgreSQL.
 */
final class DbScheduler implements Contestant {

	private final Database database;

	private final OneTimeTask<Void> task = Tasks.oneTime("noop").execute((instance, context) -> Progress.tick());

	private Settings settings = new Settings(20, 0.5, 4.0);

	private final String name;

	private final boolean rewriting;

	private int chunk = 1000;

	DbScheduler(Database database) {
		this(database, "db-scheduler", false);
	}

	/**
	 * Create a peer.
	 * @param database its database
	 * @param name its name
	 * @param rewriting whether the driver makes one statement of the inserts of a batch,
	 * which is an option of the driver and no part of the peer
	 */
	DbScheduler(Database database, String name, boolean rewriting) {
		this.database = database;
		this.name = name;
		this.rewriting = rewriting;
	}

	@Override
	public String name() {
		return this.name;
	}

	Settings settings() {
		return this.settings;
	}

	/** The instances given to a call of {@code scheduleBatch}. */
	int chunk() {
		return this.chunk;
	}

	/**
	 * The table and the indexes of its documentation.
	 */
	void create() throws SQLException {
		this.database.execute(
				"create table if not exists scheduled_tasks (task_name text not null, task_instance text not null,"
						+ " task_data bytea, execution_time timestamptz not null, picked boolean not null,"
						+ " picked_by text, last_success timestamptz, last_failure timestamptz,"
						+ " consecutive_failures int, last_heartbeat timestamptz, version bigint not null,"
						+ " primary key (task_name, task_instance))",
				"create index if not exists execution_time_idx on scheduled_tasks (execution_time)",
				"create index if not exists last_heartbeat_idx on scheduled_tasks (last_heartbeat)");
	}

	@Override
	public void reset() throws SQLException {
		this.database.execute("truncate scheduled_tasks", "checkpoint");
	}

	@Override
	public void load(int jobs) throws SQLException {
		this.database.execute(
				"insert into scheduled_tasks (task_name, task_instance, execution_time, picked, version)"
						+ " select 'noop', i::text, now(), false, 1 from generate_series(1, " + jobs + ") i",
				"analyze scheduled_tasks");
	}

	/**
	 * Search the threads and limits with which a drain is fastest.
	 */
	void search(int jobs, List<Settings> candidates) throws Exception {
		this.settings = Contestant.fastest(candidates, 1, (candidate) -> {
			this.settings = candidate;
			reset();
			load(jobs);
			return drain(jobs);
		});
	}

	void searchChunk(int jobs, Integer... candidates) throws Exception {
		this.chunk = Contestant.fastest(List.of(candidates), 2, (candidate) -> {
			this.chunk = candidate;
			reset();
			return dispatchMany(jobs);
		});
	}

	@Override
	public double drain(int jobs) throws Exception {
		Compilers.awaitIdle();
		Progress progress = Progress.expect(jobs);
		try (HikariDataSource pool = this.database.pool(this.settings.threads() + 5)) {
			Scheduler scheduler = Scheduler.create(pool, this.task)
				.threads(this.settings.threads())
				.pollUsingLockAndFetch(this.settings.lower(), this.settings.upper())
				.pollingInterval(Duration.ofSeconds(1))
				.build();
			try {
				scheduler.start();
				progress.await();
				long end = awaitEmpty();
				progress.requireExactly();
				return Contestant.rate(jobs, end - progress.firstStart());
			}
			finally {
				scheduler.stop();
			}
		}
	}

	private long awaitEmpty() throws Exception {
		while (true) {
			long asked = System.nanoTime();
			if (this.database.number("select count(*) from scheduled_tasks") == 0) {
				return asked;
			}
			Thread.sleep(5);
		}
	}

	@Override
	public double dispatchMany(int jobs) throws Exception {
		try (HikariDataSource pool = this.database.pool(2, "reWriteBatchedInserts=" + this.rewriting)) {
			SchedulerClient client = SchedulerClient.Builder.create(pool, this.task).build();
			List<TaskInstance<?>> all = new ArrayList<>(jobs);
			for (int i = 0; i < jobs; i++) {
				all.add(this.task.instance(Integer.toString(i)));
			}
			Instant now = Instant.now();
			long start = System.nanoTime();
			for (int from = 0; from < jobs; from += this.chunk) {
				client.scheduleBatch(all.subList(from, Math.min(jobs, from + this.chunk)), now);
			}
			long end = System.nanoTime();
			if (this.database.number("select count(*) from scheduled_tasks") != jobs) {
				throw new IllegalStateException("Not all tasks were scheduled");
			}
			return Contestant.rate(jobs, end - start);
		}
	}

	/**
	 * What decides how fast it drains.
	 *
	 * @param threads its threads
	 * @param lower the fraction of threads at which it polls again
	 * @param upper the fraction of threads that it fetches
	 */
	record Settings(int threads, double lower, double upper) {

	}

}
