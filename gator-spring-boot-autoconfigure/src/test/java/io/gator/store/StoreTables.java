package io.gator.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.gator.test.DatabaseHandle;
import io.gator.test.JobTable;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The stores of a pool on a test database, on a clock that can be put forward, and the
 * rows behind them.
 */
final class StoreTables {

	static final String JOB = "Work";

	private static final List<String> ALL = List.of("gator_job", "gator_dead_job", "gator_job_history", "gator_worker");

	private final JobTable table;

	private final TestClock clock;

	private final JdbcClient jdbc;

	private final GatorStores stores;

	private final GatorStores forgetful;

	StoreTables(DatabaseHandle database) {
		this.table = JobTable.empty(database);
		this.clock = new TestClock(database);
		this.jdbc = database.jdbc();
		this.stores = this.clock.stores();
		this.forgetful = this.clock.stores(false);
	}

	void clear() {
		this.table.clear();
		this.jdbc.sql("truncate gator_worker").update();
		this.clock.reset();
	}

	GatorStores stores() {
		return this.stores;
	}

	/** The stores of an application that keeps no history. */
	GatorStores withoutHistory() {
		return this.forgetful;
	}

	/** The stores of another process. */
	GatorStores ofAnotherProcess() {
		return this.clock.stores();
	}

	/** The stores of a process in which as much time passes as the test says. */
	GatorStores at(AtomicLong nanos) {
		return this.clock.stores(true, nanos::get);
	}

	JobTable table() {
		return this.table;
	}

	JdbcClient jdbc() {
		return this.jdbc;
	}

	void advance(Duration time) {
		this.clock.advance(time);
	}

	void step(Duration time) {
		this.clock.step(time);
	}

	void stopClock() {
		this.clock.stop();
	}

	long ready(String queue) {
		return ready(queue, JOB);
	}

	long ready(String queue, String name) {
		return this.table.insert(queue, name, "[]");
	}

	/**
	 * Put a job in that has a time.
	 * @param queue its queue
	 * @param seconds when it is due, from now
	 * @return its id
	 */
	long due(String queue, double seconds) {
		return due(queue, JOB, seconds);
	}

	long due(String queue, String name, double seconds) {
		return this.jdbc.sql("""
				insert into gator_job (queue, name, args, next_execution_at)
				values (?, ?, '[]', test_now() + ? * interval '1 second') returning id
				""").params(queue, name, seconds).query(Long.class).single();
	}

	/**
	 * Take up the identity of a pool that beats every minute and may be silent for an
	 * hour: so long that a slow machine is no reason.
	 * @return its identity
	 */
	long pool() {
		return this.stores.workers()
			.register(new WorkerStore.Registration("default", "here", 1, Duration.ofMinutes(1), Duration.ofHours(1),
					Set.of(), Set.of(JOB), 10));
	}

	/**
	 * Change when a pool was heard.
	 * @param pool the pool
	 * @param time an expression
	 */
	void beatAt(long pool, String time) {
		this.jdbc.sql("update gator_worker set beat_at = " + time + " where id = ?").param(pool).update();
	}

	static ClaimRequest.Share share(String queue, int quota) {
		return new ClaimRequest.Share(queue, quota, 0, Double.NEGATIVE_INFINITY);
	}

	List<ClaimedJob> claim(long pool, int total, ClaimRequest.Share... shares) {
		return this.stores.jobs().claim(new ClaimRequest(pool, Set.of(JOB), List.of(shares), total));
	}

	/** Claim one job after the other until nothing comes any more. */
	List<Long> claimOneByOne(long pool, ClaimRequest.Share... shares) {
		List<Long> ids = new ArrayList<>();
		for (List<ClaimedJob> one = claim(pool, 1, shares); !one.isEmpty(); one = claim(pool, 1, shares)) {
			ids.addAll(ids(one));
		}
		return ids;
	}

	/** Put a job in and claim it. */
	ClaimedJob claimed(long pool) {
		ready("default");
		return claim(pool, 1, share("default", 1)).get(0);
	}

	/** One whose row cannot count any further. */
	ClaimedJob claimedAtTheLimits(long pool) {
		long id = ready("default");
		this.jdbc.sql("update gator_job set attempts = 1000000000, lease = 4000000000000000000 where id = ?")
			.param(id)
			.update();
		return claim(pool, 1, share("default", 1)).get(0);
	}

	/** Names of jobs that a pool may know, {@link #JOB} not among them. */
	static Set<String> names(int count) {
		return IntStream.range(0, count).mapToObj((n) -> "Job" + n).collect(Collectors.toSet());
	}

	static List<Long> ids(List<ClaimedJob> jobs) {
		return jobs.stream().map(ClaimedJob::id).toList();
	}

	List<Long> reservedBy(long pool) {
		return this.jdbc.sql("select id from gator_job where reserved_by = ? order by id")
			.param(pool)
			.query(Long.class)
			.list();
	}

	/** The only row of a table. */
	Map<String, Object> only(String table) {
		return this.jdbc.sql("select * from " + table).query().singleRow();
	}

	/** All rows of all tables, to see that nothing has changed. */
	List<String> everything() {
		List<String> rows = new ArrayList<>();
		for (String name : ALL) {
			rows.addAll(this.jdbc.sql("select '" + name + " ' || t::text from " + name + " t order by id")
				.query(String.class)
				.list());
		}
		return rows;
	}

	/**
	 * How far apart two times of the database are.
	 * @param later an SQL expression
	 * @param earlier an SQL expression
	 * @param from the table that they are in
	 * @return seconds
	 */
	double secondsBetween(String later, String earlier, String from) {
		return this.jdbc.sql("select extract(epoch from " + later + " - " + earlier + ")::float8 from " + from)
			.query(Double.class)
			.single();
	}

}
