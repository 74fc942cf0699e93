package io.gator.store;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.gator.test.DatabaseHandle;

import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Lets a test travel in time: the stores that it opens ask a clock of the database that
 * can be put forward.
 */
public final class TestClock {

	private final DatabaseHandle database;

	private final JdbcClient jdbc;

	private final AtomicLong ahead = new AtomicLong();

	/**
	 * Put a clock and Gator's tables into a database.
	 * @param database the database
	 */
	public TestClock(DatabaseHandle database) {
		this.database = database;
		this.jdbc = database.jdbc();
		new Migration(database.createDataSource(), "public", true).afterPropertiesSet();
		this.jdbc.sql("create table if not exists test_clock (ahead interval not null, stopped timestamptz)").update();
		this.jdbc.sql("delete from test_clock").update();
		this.jdbc.sql("insert into test_clock values ('0')").update();
		this.jdbc.sql("""
				create or replace function test_now() returns timestamptz stable language sql
				as 'select coalesce(stopped, statement_timestamp() + ahead) from test_clock'
				""").update();
	}

	public GatorStores stores() {
		return stores(true);
	}

	GatorStores stores(boolean history) {
		return stores(history, () -> System.nanoTime() + this.ahead.get());
	}

	/**
	 * Create stores whose own clock is that of the test as well.
	 * @param history whether they keep the history
	 * @param nanos what they read the time that passes from
	 * @return the stores
	 */
	GatorStores stores(boolean history, LongSupplier nanos) {
		return GatorStores.open(this.database.hikari(), "public", Duration.ofSeconds(30), history, "test_now()", nanos);
	}

	/**
	 * Let time pass, or put the database's clock back.
	 * @param time how much; the database's clock is put back where it is negative
	 */
	public void advance(Duration time) {
		this.ahead.addAndGet(Math.max(0, time.toNanos()));
		step(time);
	}

	/**
	 * Stop the database's clock until it is set anew.
	 */
	void stop() {
		this.jdbc.sql("update test_clock set stopped = test_now()").update();
	}

	/**
	 * Set the database's clock to that of the server.
	 */
	void reset() {
		this.jdbc.sql("update test_clock set ahead = '0', stopped = null").update();
	}

	/**
	 * Set the database's clock, while no time passes.
	 * @param time how much it is put forward
	 */
	void step(Duration time) {
		this.jdbc.sql("update test_clock set ahead = ahead + ? * interval '1 second'").param(time.toSeconds()).update();
	}

}
