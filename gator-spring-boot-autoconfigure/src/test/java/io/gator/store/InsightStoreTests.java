package io.gator.store;

import java.sql.Connection;
import java.sql.SQLException;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The contract of {@link InsightStore}: which rows and sessions its figures are about.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class InsightStoreTests {

	private static final Duration INTERVAL = Duration.ofMinutes(1);

	private final DatabaseHandle database;

	private final StoreTables tables;

	private final InsightStore insight;

	InsightStoreTests(DatabaseHandle database) {
		this.database = database;
		this.tables = new StoreTables(database);
		this.insight = this.tables.stores().insight();
	}

	@BeforeEach
	void clear() {
		this.tables.clear();
		this.tables.jdbc().sql("truncate gator_insight").update();
	}

	private InsightStore.Shared tell(String process, String facts) {
		return this.insight.exchange(process, facts, INTERVAL);
	}

	private boolean isToCount(String process) {
		return tell(process, "{}").turn();
	}

	@Test
	void ofAProcessIsKnownWhatItToldLastAndOfTheOneThatAsksWhatItTellsNow() {
		tell("there", "[1]");
		this.tables.advance(Duration.ofSeconds(50));
		tell("there", "[2]");
		this.tables.advance(Duration.ofSeconds(150));
		assertThat(tell("here", "[3]").processes()).containsExactlyInAnyOrder("[2]", "[3]");
		assertThat(tell("here", "[4]").processes()).containsExactlyInAnyOrder("[2]", "[4]");
	}

	@Test
	void theLastCountIsKnownHoweverLongAgoItWas() {
		assertThat(isToCount("here")).isTrue();
		this.insight.publish("{\"all\": 7}", 5);
		for (int i = 0; i < 2; i++) {
			this.tables.advance(Duration.ofHours(1));
			assertThat(tell("here", "{}").cluster()).contains("\"all\": 7");
		}
		assertThat(tell("here", "{}").age()).isBetween(7_205.0, 7_260.0);
	}

	@Test
	void ofTwoProcessesThatFindTheCountTooOldAtOnceOneCounts() throws Exception {
		assertThat(isToCount("one")).isTrue();
		assertThat(isToCount("two")).isFalse();
		this.tables.advance(INTERVAL);
		assertThat(this.database.overtaken("update gator_insight set taken_at = test_now() where key = 'cluster'",
				() -> isToCount("two")))
			.isFalse();
	}

	@Test
	void theNextCountIsDueALittleLessThanAnIntervalAfterTheLastOneWasDone() {
		assertThat(isToCount("here")).isTrue();
		this.tables.advance(Duration.ofSeconds(45));
		this.insight.publish("{}", 0);
		this.tables.advance(Duration.ofSeconds(30));
		assertThat(isToCount("here")).isFalse();
		this.tables.advance(Duration.ofSeconds(26));
		assertThat(isToCount("here")).isTrue();
	}

	@Test
	void whatAProcessToldBeforeTheClockWasPutBackIsForgotten() {
		tell("gone", "{}");
		this.tables.jdbc()
			.sql("update gator_insight set taken_at = test_now() + interval '1 hour' where key = 'gone'")
			.update();
		assertThat(tell("here", "{}").processes()).hasSize(1);
		assertThat(this.tables.jdbc()
			.sql("select key from gator_insight where key <> 'cluster'")
			.query(String.class)
			.list()).containsExactly("here");
	}

	@ParameterizedTest
	@ValueSource(strings = { "select 1", "insert into gator_queue (name) values ('a')" })
	void aTransactionKeepsDeadRowsIfItHasReadOrWritten(String statement) throws SQLException {
		this.tables.advance(Duration.ofHours(1));
		assertThat(this.insight.table().oldestSnapshot()).as("the question itself keeps none").isZero();
		PGSimpleDataSource elsewhere = this.database.createDataSource();
		elsewhere.setDatabaseName("postgres");
		try (Connection other = elsewhere.getConnection();
				Connection holder = this.database.createDataSource().getConnection()) {
			hold(other, "select 1");
			assertThat(this.insight.table().oldestSnapshot()).as("another database has rows of its own").isZero();
			hold(holder, statement);
			assertThat(this.insight.table().oldestSnapshot()).isGreaterThan(3_600);
		}
	}

	/** Whoever reads keeps a snapshot in this isolation, whoever writes in any. */
	private static void hold(Connection connection, String statement) throws SQLException {
		connection.setAutoCommit(false);
		if (statement.startsWith("select")) {
			connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
		}
		connection.createStatement().execute(statement);
	}

	@Test
	void thePoolsHoldTheirOwnJobsOfTheQueuesThatAreAskedFor() {
		this.tables.jdbc().sql("""
				insert into gator_job (queue, name, args, reserved_by, next_execution_at)
				select queue, name, '[]', pool, due::timestamptz
				  from (values ('a', 'Work', 1, null), ('a', 'Work', 2, null), ('a', 'Later', 1, '2026-01-01'),
				               ('a', 'Work', 3, null), ('a', 'Later', 3, '2026-01-01'), ('a', 'Work', null, null),
				               ('b', 'Work', 1, null), ('b', 'Later', 1, '2025-01-01'))
				       as j (queue, name, pool, due)
				""").update();
		assertThat(this.insight.held(List.of(1L, 2L), List.of("a"))).containsExactly(entry("Work", 2L),
				entry("Later", 1L));
		assertThat(this.insight.held(List.of(1L), List.of("a", "b"))).containsExactly(entry("Later", 2L),
				entry("Work", 2L));
	}

	@Test
	void ofTheManyJobsThatPoolsHoldTheTenMostFrequentAreNamed() {
		this.tables.jdbc().sql("""
				insert into gator_job (queue, name, args, reserved_by)
				select 'a', 'Job' || name, '[]', 1 from generate_series(1, 12) name, generate_series(1, name) n
				""").update();
		assertThat(this.insight.held(List.of(1L), List.of("a"))).hasSize(10)
			.containsEntry("Job12", 12L)
			.containsEntry("Job3", 3L);
	}

	@Test
	void aheadOfAJobAreThoseOfItsQueueThatAreClaimedBeforeIt() {
		long first = this.tables.ready("b");
		long later = this.tables.due("b", 3600);
		long due = this.tables.due("b", -10);
		long dueNext = this.tables.due("b", -5);
		for (String queue : List.of("a", "b", "c")) {
			this.tables.ready(queue);
			this.tables.due(queue, -20);
		}
		this.tables.jdbc()
			.sql("update gator_job set reserved_by = 1 where queue = 'b' and id > ?")
			.param(dueNext)
			.update();
		long last = this.tables.ready("b");
		assertThat(ahead(due)).isZero();
		assertThat(ahead(dueNext)).isEqualTo(1);
		assertThat(ahead(later)).isEqualTo(2);
		assertThat(ahead(first)).isEqualTo(2);
		assertThat(ahead(last)).isEqualTo(3);
	}

	@Test
	void moreThanTenThousandJobsAheadAreNotCounted() {
		this.tables.jdbc().sql("""
				insert into gator_job (queue, name, args, next_execution_at)
				select 'a', 'Work', '[]', case when n % 2 = 0 then test_now() - interval '1 minute' end
				  from generate_series(1, 20010) n
				""").update();
		assertThat(ahead(this.tables.ready("a"))).isEqualTo(10_000);
	}

	private long ahead(long id) {
		StoredJob job = this.tables.stores().admin().find(id).orElseThrow();
		return this.insight.ahead(job.queue(), id, job.dueAt());
	}

	@Test
	void theLastDeathsAreThoseThatDiedLastWithTheFirstLineOfTheirErrors() {
		this.tables.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, died_at, error_details)
				select n, 'a', 'Work', '[]', 1, 1, test_now(), test_now() - n * interval '1 minute',
				       repeat('x', 600) || e'\\n\\tat Handler'
				  from generate_series(1, 1003) n
				""").update();
		assertThat(this.insight.lastDeaths(2)).as("among the last thousand that were dispatched")
			.extracting(InsightStore.Death::id, InsightStore.Death::error)
			.containsExactly(tuple(4L, "x".repeat(500)), tuple(5L, "x".repeat(500)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "false", "OFF", "0", "no" })
	void aTableWithoutAutovacuumIsFoundHoweverThatIsWritten(String off) {
		assertThat(this.insight.server().withoutAutovacuum()).isEmpty();
		this.tables.jdbc().sql("alter table gator_job set (autovacuum_enabled = " + off + ")").update();
		try {
			assertThat(this.insight.server().withoutAutovacuum()).containsExactly("gator_job");
			this.tables.jdbc().sql("alter table gator_job set (autovacuum_enabled = 1)").update();
			assertThat(this.insight.server().withoutAutovacuum()).isEmpty();
		}
		finally {
			this.tables.jdbc().sql("alter table gator_job reset (autovacuum_enabled)").update();
		}
	}

	@Test
	void onlyTablesOfThisSchemaThatAreGatorsAreLookedAt() {
		this.tables.jdbc().sql("""
				create schema other;
				create table other.gator_job (queue text) with (autovacuum_enabled = off);
				create table gatorade (id bigint) with (autovacuum_enabled = off);
				insert into other.gator_job values ('a')
				""").update();
		assertThat(this.insight.server().withoutAutovacuum()).isEmpty();
		assertThat(this.insight.table().bytes()).isEqualTo(
				this.tables.jdbc().sql("select pg_total_relation_size('gator_job')").query(Double.class).single());
	}

	@Test
	void theVersionOfTheSchemaIsThatOfTheLastMigrationThatSucceeded() {
		this.tables.jdbc()
			.sql("""
					insert into %s (installed_rank, version, description, type, script, installed_by, execution_time, success)
					values (100, '97', 'done', 'SQL', 'V97__done.sql', 'me', 1, true),
					       (101, '98', 'failed', 'SQL', 'V98__failed.sql', 'me', 1, false),
					       (102, null, 'repeated', 'SQL', 'R__repeated.sql', 'me', 1, true)
					"""
				.formatted(Migration.HISTORY_TABLE))
			.update();
		assertThat(this.insight.server().schemaVersion()).isEqualTo("97");
		this.tables.jdbc().sql("update %s set success = false".formatted(Migration.HISTORY_TABLE)).update();
		assertThat(this.insight.server().schemaVersion()).isNull();
	}

	@Test
	void whoMayNotReadTheHistoryOfMigrationsKnowsAllElseOfTheServer() {
		this.tables.jdbc().sql("create role without_history; grant usage on schema public to without_history").update();
		try {
			InsightStore limited = GatorStores
				.open(this.database.createDataSource("role=without_history"), "public", INTERVAL, true)
				.insight();
			assertThat(limited.server().schemaVersion()).isNull();
			assertThat(limited.server().settings()).containsKey("server_version");
		}
		finally {
			this.tables.jdbc().sql("drop owned by without_history; drop role without_history").update();
		}
	}

}
