package io.gator.test;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;

import io.gator.store.Migration;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.awaitility.Awaitility.await;

/**
 * Gator's tables as seen from outside, by SQL alone: what a test puts in and looks up.
 */
public final class JobTable {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final JdbcClient jdbc;

	private JobTable(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * The tables of a database, created if they are not there, and empty.
	 * @param database the database
	 * @return its tables
	 */
	public static JobTable empty(DatabaseHandle database) {
		new Migration(database.createDataSource(), "public", true).afterPropertiesSet();
		JobTable table = new JobTable(database.jdbc());
		table.clear();
		return table;
	}

	/** Forget all jobs and queues. */
	public void clear() {
		this.jdbc.sql("truncate gator_job, gator_dead_job, gator_job_history, gator_queue").update();
	}

	/**
	 * Put a job in.
	 * @param queue its queue
	 * @param name its name
	 * @param args its arguments as JSON
	 * @return its id
	 */
	public long insert(String queue, String name, String args) {
		register(queue);
		return this.jdbc.sql("insert into gator_job (queue, name, args) values (?, ?, ?::json) returning id")
			.params(queue, name, args)
			.query(Long.class)
			.single();
	}

	/**
	 * Put a job in that has been tried before.
	 * @param queue its queue
	 * @param name its name
	 * @param args its arguments as JSON
	 * @param attempts how often
	 * @return its id
	 */
	public long insertTried(String queue, String name, String args, int attempts) {
		register(queue);
		return this.jdbc
			.sql("insert into gator_job (queue, name, args, attempts) values (?, ?, ?::json, ?) returning id")
			.params(queue, name, args, attempts)
			.query(Long.class)
			.single();
	}

	/**
	 * Put many jobs in, each with its number as the only argument.
	 * @param queue their queue
	 * @param name their name
	 * @param count how many
	 */
	public void insertMany(String queue, String name, int count) {
		this.jdbc.sql("""
				insert into gator_job (queue, name, args)
				select ?, ?, json_build_array(n) from generate_series(1, ?) as n
				""").params(queue, name, count).update();
		register(queue);
	}

	/**
	 * Put a job in that waits.
	 * @param queue its queue
	 * @param name its name
	 * @param args its arguments as JSON
	 * @param wait how long
	 * @return its id
	 */
	public long insertDelayed(String queue, String name, String args, Duration wait) {
		register(queue);
		return this.jdbc.sql("""
				insert into gator_job (queue, name, args, next_execution_at)
				values (?, ?, ?::json, clock_timestamp() + ? * interval '1 millisecond') returning id
				""").params(queue, name, args, wait.toMillis()).query(Long.class).single();
	}

	/**
	 * Make a queue known, as a dispatch does.
	 * @param queue the queue
	 */
	public void register(String queue) {
		this.jdbc.sql("insert into gator_queue (name) values (?) on conflict do nothing").param(queue).update();
	}

	/**
	 * Whatever there is to know about a job.
	 * @param id its id
	 * @return its row of the view {@code gator_jobs}
	 */
	public Map<String, Object> job(long id) {
		return this.jdbc.sql("select * from gator_jobs where id = ?").param(id).query().singleRow();
	}

	/**
	 * Rows of the view in which a job stands: one, if it is not lost and not doubled.
	 * @param id its id
	 * @return its states
	 */
	public List<String> states(long id) {
		return this.jdbc.sql("select state from gator_jobs where id = ?").param(id).query(String.class).list();
	}

	/**
	 * Wait for a job to be in a state.
	 * @param id its id
	 * @param state the state
	 * @return its row of the view {@code gator_jobs}
	 */
	public Map<String, Object> awaitState(long id, String state) {
		await("job " + id + " " + state).atMost(PATIENCE)
			.pollInterval(Duration.ofMillis(20))
			.until(() -> states(id).equals(List.of(state)));
		return job(id);
	}

	/** Wait until no live job is left. */
	public void awaitEmpty() {
		awaitEmpty(PATIENCE);
	}

	/**
	 * Wait until no live job is left.
	 * @param atMost how long
	 */
	public void awaitEmpty(Duration atMost) {
		await("no live job is left").atMost(atMost)
			.pollInterval(Duration.ofMillis(50))
			.until(() -> count("gator_job") == 0);
	}

	/**
	 * Count rows.
	 * @param from a table, and a condition if need be
	 * @return how many there are
	 */
	public int count(String from) {
		return this.jdbc.sql("select count(*) from " + from).query(Integer.class).single();
	}

	/**
	 * The database's clock.
	 * @return its time
	 */
	public Instant now() {
		return this.jdbc.sql("select clock_timestamp()").query(OffsetDateTime.class).single().toInstant();
	}

	/**
	 * A time of a job's row.
	 * @param id its id
	 * @param column the column of the view {@code gator_jobs}
	 * @return the time
	 */
	public Instant time(long id, String column) {
		return this.jdbc.sql("select " + column + " from gator_jobs where id = ?")
			.param(id)
			.query(OffsetDateTime.class)
			.single()
			.toInstant();
	}

}
