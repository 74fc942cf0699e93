package io.gator.store;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

import javax.sql.DataSource;

/**
 * Everything that is kept in one schema of one PostgreSQL database. Thread-safe.
 */
public final class GatorStores {

	private static final Pattern SCHEMA = Pattern.compile("(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}");

	/**
	 * How many lists and counts may run at a time, each of which may take seconds: the
	 * other connections of the engine are left for beats, claims and settlements.
	 */
	private static final int CONNECTIONS_FOR_PEOPLE = 2;

	private final JobStore jobs;

	private final WorkerStore workers;

	private final DispatchStore dispatch;

	private final AdminStore admin;

	private final UpkeepStore upkeep;

	private final Notifications notifications;

	private final InsightStore insight;

	private GatorStores(DataSource engine, String schema, Duration timeout, boolean history, String clock,
			LongSupplier nanoTime) {
		Sql sql = new Sql(validSchema(schema), clock);
		NotificationSql notifying = new NotificationSql(sql);
		Channel channel = new Channel(notifying, schema);
		this.jobs = new PostgresJobStore(engine, timeout, sql, channel, history);
		this.workers = new PostgresWorkerStore(engine, timeout, sql, new DatabaseClock(nanoTime));
		this.dispatch = new PostgresDispatchStore(this.workers, sql);
		Semaphore people = new Semaphore(CONNECTIONS_FOR_PEOPLE, true);
		this.admin = new PostgresAdminStore(new Db(engine, timeout, people), sql, channel);
		this.upkeep = new PostgresUpkeepStore(new Db(engine, timeout), sql);
		this.notifications = new Notifications(engine, notifying, channel);
		this.insight = new PostgresInsightStore(engine, sql, people);
	}

	/**
	 * Open the stores.
	 * @param engine the data source of the engine's own statements, whose connections
	 * commit each of them
	 * @param schema the schema of Gator's tables
	 * @param timeout how long one statement may take
	 * @param history whether succeeded jobs are kept
	 * @return the stores
	 * @throws IllegalArgumentException if the schema is not a plain identifier, or one
	 * that PostgreSQL keeps for itself
	 */
	public static GatorStores open(DataSource engine, String schema, Duration timeout, boolean history) {
		return new GatorStores(engine, schema, timeout, history, Sql.CLOCK, System::nanoTime);
	}

	/**
	 * Open the stores on another clock than the database's, for tests that travel in
	 * time.
	 * @param engine the data source of the engine's own statements, whose connections
	 * commit each of them
	 * @param schema the schema of Gator's tables
	 * @param timeout how long one statement may take
	 * @param history whether succeeded jobs are kept
	 * @param clock an SQL expression that is stable within a statement
	 * @param nanoTime the monotonic time of this process
	 * @return the stores
	 */
	static GatorStores open(DataSource engine, String schema, Duration timeout, boolean history, String clock,
			LongSupplier nanoTime) {
		return new GatorStores(engine, schema, timeout, history, clock, nanoTime);
	}

	/**
	 * Check the name of a schema, which becomes a part of statements.
	 * @param schema the name
	 * @return the name
	 * @throws IllegalArgumentException if it is not a plain identifier, or one that
	 * PostgreSQL keeps for itself
	 */
	public static String validSchema(String schema) {
		if (!SCHEMA.matcher(schema).matches()) {
			throw new IllegalArgumentException(String.format(Locale.ROOT,
					"'%s' is not a valid schema name; it must match [a-z_][a-z0-9_]{0,62} and not be one of PostgreSQL's own",
					schema));
		}
		return schema;
	}

	/**
	 * Where pools claim and settle.
	 * @return the store
	 */
	public JobStore jobs() {
		return this.jobs;
	}

	/**
	 * Where pools keep their identities.
	 * @return the store
	 */
	public WorkerStore workers() {
		return this.workers;
	}

	/**
	 * Where jobs are dispatched.
	 * @return the store
	 */
	public DispatchStore dispatch() {
		return this.dispatch;
	}

	/**
	 * What has to be done now and then.
	 * @return the store
	 */
	public UpkeepStore upkeep() {
		return this.upkeep;
	}

	/**
	 * Where people look at jobs and act on them.
	 * @return the store
	 */
	public AdminStore admin() {
		return this.admin;
	}

	/**
	 * What comes from other processes.
	 * @return the notifications
	 */
	public Notifications notifications() {
		return this.notifications;
	}

	/**
	 * Where figures about the whole come from.
	 * @return the store
	 */
	public InsightStore insight() {
		return this.insight;
	}

}
