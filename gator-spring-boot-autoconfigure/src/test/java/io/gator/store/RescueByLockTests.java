package io.gator.store;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the lock of a pool's session says: while it is held the pool lives, and once it is
 * free the pool is dead long before its lease is over. Locks of anybody else say nothing.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class RescueByLockTests {

	private static final Duration TWO_BEATS = Duration.ofSeconds(150);

	private static final Duration FOUR_BEATS = Duration.ofMinutes(4);

	private final DatabaseHandle database;

	private final StoreTables tables;

	private final WorkerStore workers;

	private long pool;

	private long job;

	RescueByLockTests(DatabaseHandle database) {
		this.database = database;
		this.tables = new StoreTables(database);
		this.workers = this.tables.stores().workers();
	}

	@BeforeEach
	void claim() {
		this.tables.clear();
		this.pool = this.tables.pool();
		this.job = this.tables.claimed(this.pool).id();
	}

	@Test
	void aPoolWhoseLockIsFreeIsRescuedOnceItHasMissedThreeBeats() throws Exception {
		locked().close();
		this.tables.advance(TWO_BEATS);
		assertThat(rescue()).isEmpty();
		this.tables.advance(TWO_BEATS);
		assertThat(rescue()).containsExactly(this.job);
	}

	@Test
	void aPoolThatDoesNotBeatIsNotRescuedWhileItsSessionHasTheLock() throws Exception {
		Notifications.Session session = locked();
		this.tables.advance(FOUR_BEATS);
		assertThat(rescue()).isEmpty();
		session.close();
		assertThat(rescue()).containsExactly(this.job);
	}

	@Test
	void aPoolThatNeverHadItsLockIsNotRescuedBeforeItsLeaseIsOver() {
		this.tables.advance(FOUR_BEATS);
		assertThat(rescue()).isEmpty();
	}

	@Test
	void onlyLocksOfRetiredPoolsAreGivenBack() throws Exception {
		long retired = this.tables.pool();
		try (Notifications.Session session = locked()) {
			session.lock(retired);
			this.workers.retire(retired);
			assertThat(session.unlockRetired(List.of(this.pool, retired))).containsExactly(retired);
			assertThat(this.tables.jdbc().sql("""
					select objid from pg_locks
					 where locktype = 'advisory'
					   and objsubid = 2
					   and database = (select oid from pg_database where datname = current_database())
					""").query(Long.class).list()).containsExactly(this.pool);
		}
	}

	@Test
	void whereLocksAreNotBelievedAFreeOneIsNoReason() throws Exception {
		locked().close();
		this.tables.advance(FOUR_BEATS);
		assertThat(this.workers.rescue(List.of(), false)).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "hashtext('gator.public'), %d + 1", "hashtext('gator.other'), %d",
			"(hashtext('gator.public')::bigint << 32) | %d" })
	void aLockOfAnotherPoolOrSchemaOrOfTheApplicationIsNotThatOfThePool(String key) throws Exception {
		assertNotThatOfThePool(this.database.createDataSource(), key);
	}

	@Test
	void aLockOfAnotherDatabaseIsNotThatOfThePool() throws Exception {
		PGSimpleDataSource other = this.database.createDataSource();
		other.setDatabaseName("postgres");
		assertNotThatOfThePool(other, "hashtext('gator.public'), %d");
	}

	private void assertNotThatOfThePool(PGSimpleDataSource from, String key) throws Exception {
		locked().close();
		try (Connection connection = from.getConnection()) {
			JdbcClient session = JdbcClient.create(new SingleConnectionDataSource(connection, true));
			session.sql("select pg_advisory_lock(" + key.formatted(this.pool) + ")").query().singleRow();
			this.tables.advance(FOUR_BEATS);
			assertThat(rescue()).containsExactly(this.job);
			// A session that is closed keeps its locks for another moment.
			session.sql("select pg_advisory_unlock_all()").query().singleRow();
		}
	}

	private Notifications.Session locked() throws Exception {
		Notifications.Session session = this.tables.stores().notifications().open();
		assertThat(session.lock(this.pool)).isTrue();
		return session;
	}

	private List<Long> rescue() {
		return this.workers.rescue(List.of(), true);
	}

}
