package io.gator.store;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;
import org.postgresql.jdbc.PreferQueryMode;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/**
 * The contract of {@link JobStore#settle}: which rows each end leaves behind, and that it
 * leaves none where the lease is another one.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class SettleTests {

	private static final Settlement.NextJob LINK = new Settlement.NextJob("next-queue", "Next", "[\"next\"]", "key",
			"{\"n\": 1}");

	private final DatabaseHandle database;

	private final StoreTables tables;

	private final JobStore store;

	private long pool;

	SettleTests(DatabaseHandle database) {
		this.database = database;
		this.tables = new StoreTables(database);
		this.store = this.tables.stores().jobs();
	}

	@BeforeEach
	void clear() {
		this.tables.clear();
		this.pool = this.tables.pool();
	}

	/** A job that has failed once before, with all that a row can hold. */
	private ClaimedJob claimedWithAll() {
		this.tables.jdbc().sql("""
				insert into gator_job (queue, name, args, attempts, lease, created_at, last_executed_at, error_details,
				                       next_execution_at, unique_key, metadata)
				values ('default', 'Work', '[1]', 1, 2, now() - interval '1 hour', now() - interval '1 minute',
				        'the first error', now() - interval '2 seconds', 'key', '{"m": 1}')
				""").update();
		return this.tables.claim(this.pool, 1, StoreTables.share("default", 1)).get(0);
	}

	private static Settlement.Succeeded succeeded(ClaimedJob job) {
		return new Settlement.Succeeded(job.id(), job.lease(), null, null);
	}

	private static Settlement.Requeued retried(ClaimedJob job, Duration delay) {
		return new Settlement.Requeued(job.id(), job.lease(), delay, null, "the error", true, 0);
	}

	private static Settlement.Died died(ClaimedJob job) {
		return new Settlement.Died(job.id(), job.lease(), "the last error", true, null);
	}

	private static Settlement.Cancelled cancelled(ClaimedJob job) {
		return new Settlement.Cancelled(job.id(), job.lease(), "the reason");
	}

	@SuppressWarnings("unchecked")
	private <S extends Settlement> boolean settle(S settlement) {
		return this.store.settle((Class<S>) settlement.getClass(), List.of(settlement)).isEmpty();
	}

	@Test
	void aSucceededJobLeavesForTheHistoryWithItsResultAndWithoutItsErrors() {
		ClaimedJob job = claimedWithAll();
		assertThat(settle(new Settlement.Succeeded(job.id(), job.lease(), "{\"sum\":3}", null))).isTrue();
		assertThat(this.tables.table().count("gator_job")).isZero();
		assertThat(this.tables.only("gator_job_history")).containsEntry("id", job.id())
			.containsEntry("queue", "default")
			.containsEntry("name", "Work")
			.containsEntry("state", "SUCCEEDED")
			.containsEntry("attempts", 2)
			.containsEntry("lease", job.lease())
			.containsEntry("error_details", null)
			.containsEntry("unique_key", "key")
			.hasEntrySatisfying("result", (json) -> assertThat(json).hasToString("{\"sum\":3}"))
			.hasEntrySatisfying("metadata", (json) -> assertThat(json).hasToString("{\"m\": 1}"));
		assertThat(this.tables.secondsBetween("test_now()", "created_at", "gator_job_history")).isBetween(3600.0,
				3660.0);
		assertThat(
				this.tables.secondsBetween("started_at", "to_timestamp(" + job.claimedAt() + ")", "gator_job_history"))
			.isCloseTo(0, within(0.001));
		assertThat(this.tables.secondsBetween("finished_at", "started_at", "gator_job_history")).isBetween(0.0, 60.0);
	}

	@Test
	void withoutAHistoryASucceededJobLeavesNothing() throws Exception {
		JobStore forgetful = this.tables.withoutHistory().jobs();
		assertThat(forgetful.settle(Settlement.Succeeded.class, List.of(succeeded(this.tables.claimed(this.pool)))))
			.isEmpty();
		ClaimedJob linked = this.tables.claimed(this.pool);
		assertThat(forgetful.settle(Settlement.Succeeded.class,
				List.of(new Settlement.Succeeded(linked.id(), linked.lease(), "1", LINK))))
			.isEmpty();
		try (Connection connection = this.database.createDataSource().getConnection()) {
			assertThat(forgetful.settle(connection, succeeded(this.tables.claimed(this.pool)))).isTrue();
		}
		assertThat(this.tables.table().count("gator_job_history")).isZero();
		assertThat(this.tables.only("gator_job")).containsEntry("name", "Next");
	}

	@Test
	void aRetriedJobIsDueLaterAndKeepsItsErrorAndItsCharge() {
		ClaimedJob job = claimedWithAll();
		assertThat(settle(new Settlement.Requeued(job.id(), job.lease(), Duration.ofMillis(90_500), "retries",
				"the second error", true, 7)))
			.isTrue();
		assertThat(this.tables.only("gator_job")).containsEntry("queue", "retries")
			.containsEntry("attempts", 2)
			.containsEntry("error_details", "the second error")
			.containsEntry("lease", job.lease() + 1)
			.containsEntry("reserved_by", null)
			.containsEntry("reserved_at", null)
			.containsEntry("unique_key", "key")
			.containsEntry("batch_limit", 7);
		assertThat(this.tables.secondsBetween("next_execution_at", "test_now()", "gator_job")).isBetween(60.0, 90.5);
		assertThat(this.tables.secondsBetween("last_executed_at", "to_timestamp(" + job.claimedAt() + ")", "gator_job"))
			.isCloseTo(0, within(0.001));
	}

	@Test
	void aQueueToWhichOnlyRetriesGoIsKnown() {
		ClaimedJob job = this.tables.claimed(this.pool);
		this.tables.jdbc().sql("truncate gator_queue").update();
		assertThat(settle(new Settlement.Requeued(job.id(), job.lease(), Duration.ofSeconds(1), "only retries", "error",
				true, 0)))
			.isTrue();
		assertThat(this.tables.only("gator_queue")).as("or no pool that serves all queues would look into it")
			.containsEntry("name", "only retries");
	}

	@Test
	void aReleasedJobIsAsItWasButForItsLease() {
		ClaimedJob job = claimedWithAll();
		assertThat(settle(Settlement.Requeued.released(job))).isTrue();
		assertThat(this.tables.only("gator_job")).containsEntry("queue", "default")
			.containsEntry("attempts", 1)
			.containsEntry("error_details", "the first error")
			.containsEntry("lease", job.lease() + 1)
			.containsEntry("reserved_by", null)
			.containsEntry("batch_limit", null);
		assertThat(this.tables.secondsBetween("next_execution_at", "to_timestamp(" + job.dueAt() + ")", "gator_job"))
			.isCloseTo(0, within(0.001));
		assertThat(this.tables.secondsBetween("test_now()", "last_executed_at", "gator_job")).isBetween(60.0, 120.0);
	}

	@Test
	void aReleasedJobThatWasReadyIsReadyAgainInItsPlace() {
		ClaimedJob first = this.tables.claimed(this.pool);
		long second = this.tables.ready("default");
		assertThat(settle(Settlement.Requeued.released(first))).isTrue();
		assertThat(this.tables.claimOneByOne(this.pool, StoreTables.share("default", 1))).containsExactly(first.id(),
				second);
	}

	@Test
	void aJobThatIsReleasedKeepsTheLimitOfItsBatch() {
		ClaimedJob job = this.tables.claimed(this.pool);
		assertThat(settle(new Settlement.Requeued(job.id(), job.lease(), null, null, "the error", true, 2))).isTrue();
		this.tables.claimOneByOne(this.pool, StoreTables.share("default", 1));
		long lease = (long) this.tables.only("gator_job").get("lease");
		assertThat(settle(new Settlement.Requeued(job.id(), lease, null, null, null, false, 0))).isTrue();
		assertThat(this.tables.only("gator_job")).containsEntry("batch_limit", 2);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aRowAtTheLimitsOfItsColumnsCanGoBack(boolean charged) {
		ClaimedJob job = this.tables.claimedAtTheLimits(this.pool);
		assertThat(settle(new Settlement.Requeued(job.id(), job.lease(), null, null, null, charged, 0))).isTrue();
		assertThat(this.tables.only("gator_job")).containsEntry("attempts", 1_000_000_000)
			.containsEntry("lease", 4_000_000_000_000_000_000L)
			.containsEntry("reserved_by", null);
	}

	@Test
	void aSnoozedJobIsDueLaterWithoutAChargeOrATrace() {
		ClaimedJob job = this.tables.claimed(this.pool);
		assertThat(settle(new Settlement.Requeued(job.id(), job.lease(), Duration.ofMinutes(5), null, null, false, 0)))
			.isTrue();
		assertThat(this.tables.only("gator_job")).containsEntry("attempts", 0)
			.containsEntry("error_details", null)
			.containsEntry("last_executed_at", null);
		assertThat(this.tables.secondsBetween("next_execution_at", "test_now()", "gator_job")).isBetween(240.0, 300.0);
	}

	@Test
	void aDeadJobIsALetterWithAllThatItTakesToTryAgain() {
		ClaimedJob job = claimedWithAll();
		this.tables.jdbc().sql("update gator_job set batch_key = 'its batch'").update();
		assertThat(settle(died(job))).isTrue();
		assertThat(this.tables.table().count("gator_job")).isZero();
		assertThat(this.tables.table().count("gator_job_history")).isZero();
		assertThat(this.tables.only("gator_dead_job")).containsEntry("id", job.id())
			.containsEntry("queue", "default")
			.containsEntry("name", "Work")
			.containsEntry("attempts", 2)
			.containsEntry("lease", job.lease())
			.containsEntry("error_details", "the last error")
			.containsEntry("unique_key", "key")
			.containsEntry("batch_key", "its batch")
			.hasEntrySatisfying("args", (json) -> assertThat(json).hasToString("[1]"))
			.hasEntrySatisfying("metadata", (json) -> assertThat(json).hasToString("{\"m\": 1}"));
		assertThat(this.tables.secondsBetween("test_now()", "created_at", "gator_dead_job")).isBetween(3600.0, 3660.0);
		assertThat(this.tables.secondsBetween("last_executed_at", "to_timestamp(" + job.claimedAt() + ")",
				"gator_dead_job"))
			.isCloseTo(0, within(0.001));
		assertThat(this.tables.secondsBetween("test_now()", "died_at", "gator_dead_job")).isBetween(0.0, 60.0);
	}

	@Test
	void aJobThatDiesWithoutARunIsNotChargedAndKeepsItsError() {
		ClaimedJob job = claimedWithAll();
		assertThat(settle(new Settlement.Died(job.id(), job.lease(), null, false, null))).isTrue();
		assertThat(this.tables.only("gator_dead_job")).containsEntry("attempts", 1)
			.containsEntry("error_details", "the first error");
		assertThat(this.tables.secondsBetween("test_now()", "last_executed_at", "gator_dead_job")).isBetween(60.0,
				120.0);
	}

	@Test
	void aCancelledJobLeavesForTheHistoryWithTheReason() {
		ClaimedJob job = claimedWithAll();
		assertThat(settle(cancelled(job))).isTrue();
		assertThat(this.tables.table().count("gator_job")).isZero();
		assertThat(this.tables.only("gator_job_history")).containsEntry("state", "CANCELLED")
			.containsEntry("attempts", 2)
			.containsEntry("error_details", "the reason")
			.containsEntry("unique_key", "key");
		this.tables.clear();
		ClaimedJob other = claimedWithAll();
		assertThat(settle(new Settlement.Cancelled(other.id(), other.lease(), null))).isTrue();
		assertThat(this.tables.only("gator_job_history")).containsEntry("error_details", "the first error");
	}

	@Test
	void theNextLinkIsDispatchedByTheStatementThatEndsItsPredecessor() {
		ClaimedJob done = this.tables.claimed(this.pool);
		ClaimedJob alone = this.tables.claimed(this.pool);
		assertThat(this.store.settle(Settlement.Succeeded.class,
				List.of(new Settlement.Succeeded(done.id(), done.lease(), "1", LINK), succeeded(alone))))
			.isEmpty();
		assertThat(this.tables.table().count("gator_job_history where state = 'SUCCEEDED'")).isEqualTo(2);
		assertThat(this.tables.only("gator_job")).containsEntry("queue", "next-queue")
			.containsEntry("name", "Next")
			.containsEntry("attempts", 0)
			.containsEntry("next_execution_at", null)
			.containsEntry("reserved_by", null)
			.containsEntry("batch_key", "key")
			.hasEntrySatisfying("args", (json) -> assertThat(json).hasToString("[\"next\"]"))
			.hasEntrySatisfying("metadata", (json) -> assertThat(json).hasToString("{\"n\": 1}"));
		this.tables.clear();
		ClaimedJob dead = this.tables.claimed(this.pool);
		assertThat(settle(new Settlement.Died(dead.id(), dead.lease(), "e", true, LINK))).isTrue();
		assertThat(this.tables.only("gator_job")).containsEntry("name", "Next");
	}

	static Stream<Settlement> settlementsOfAnotherLease() {
		return Stream.of(new Settlement.Succeeded(1, 1, "1", null), new Settlement.Succeeded(1, 3, "1", LINK),
				new Settlement.Requeued(1, 1, null, null, null, false, 0),
				new Settlement.Requeued(1, 3, Duration.ofSeconds(1), "other", "e", true, 1),
				new Settlement.Died(1, 1, "e", true, null), new Settlement.Died(1, 3, null, false, LINK),
				new Settlement.Cancelled(1, 1, "r"), new Settlement.Cancelled(1, 3, null));
	}

	@ParameterizedTest
	@MethodSource("settlementsOfAnotherLease")
	void aSettlementOfAnotherLeaseIsLostAndChangesNothing(Settlement settlement) throws Exception {
		this.tables.jdbc()
			.sql("insert into gator_job (id, queue, name, args, lease) values (1, 'default', 'Work', '[]', 1)")
			.update();
		assertThat(this.tables.claim(this.pool, 1, StoreTables.share("default", 1)).get(0).lease()).isEqualTo(2);
		List<String> before = this.tables.everything();
		assertThat(settle(settlement)).isFalse();
		assertThat(this.tables.everything()).isEqualTo(before);
		if (settlement instanceof Settlement.Succeeded succeeded) {
			this.tables.withoutHistory().jobs().settle(Settlement.Succeeded.class, List.of(succeeded));
			try (Connection connection = this.database.createDataSource().getConnection()) {
				assertThat(this.store.settle(connection, succeeded)).isFalse();
			}
			assertThat(this.tables.everything()).isEqualTo(before);
		}
	}

	@Test
	void anItemThatAnotherPoolHasByNowIsNotRegrouped() {
		ClaimedJob item = this.tables.claimed(this.pool);
		List<String> before = this.tables.everything();
		assertThat(this.store.regroup(List.of(new JobStore.Regrouped(item.id(), item.lease() - 1, "its new key"))))
			.isEmpty();
		assertThat(this.tables.everything()).isEqualTo(before);
		assertThat(this.store.regroup(List.of(new JobStore.Regrouped(item.id(), item.lease(), "its new key"))))
			.containsExactly(item.id());
		assertThat(this.tables.only("gator_job")).containsEntry("batch_key", "its new key")
			.containsEntry("reserved_by", null);
	}

	@Test
	void ofTwoOutcomesOfOneJobThatOfItsLaterClaimLands() {
		ClaimedJob job = this.tables.claimed(this.pool);
		Settlement.Succeeded late = new Settlement.Succeeded(job.id(), job.lease() - 1, null, null);
		assertThat(this.store.settle(Settlement.Succeeded.class, List.of(succeeded(job), late))).isEmpty();
		assertThat(this.tables.only("gator_job_history")).containsEntry("id", job.id());
	}

	@Test
	void onlyThoseThatAreLostAreNamedAndTheOthersLand() {
		ClaimedJob first = this.tables.claimed(this.pool);
		ClaimedJob second = this.tables.claimed(this.pool);
		ClaimedJob third = this.tables.claimed(this.pool);
		assertThat(this.store.settle(Settlement.Died.class,
				List.of(died(third), new Settlement.Died(second.id(), second.lease() + 1, "e", true, null), died(first),
						new Settlement.Died(987_654_321, 1, "e", true, null))))
			.containsExactlyInAnyOrder(second.id(), 987_654_321L);
		assertThat(this.tables.reservedBy(this.pool)).containsExactly(second.id());
		assertThat(this.tables.table().count("gator_dead_job")).isEqualTo(2);
	}

	@Test
	void whatIsSettledIsLostForASecondSettlement() {
		ClaimedJob job = this.tables.claimed(this.pool);
		assertThat(settle(retried(job, Duration.ZERO))).isTrue();
		assertThat(settle(retried(job, Duration.ZERO))).isFalse();
		assertThat(settle(succeeded(job))).isFalse();
		ClaimedJob again = this.tables.claim(this.pool, 1, StoreTables.share("default", 1)).get(0);
		assertThat(settle(succeeded(again))).isTrue();
		assertThat(settle(died(again))).isFalse();
		assertThat(this.tables.table().count("gator_jobs")).isOne();
	}

	@Test
	void oneValueThatTheDatabaseRefusesLeavesTheWholeBatchUnwritten() {
		ClaimedJob first = this.tables.claimed(this.pool);
		ClaimedJob second = this.tables.claimed(this.pool);
		List<String> before = this.tables.everything();
		assertThatExceptionOfType(StoreException.class)
			.isThrownBy(() -> this.store.settle(Settlement.Died.class,
					List.of(died(first), new Settlement.Died(second.id(), second.lease(), "a\0b", true, null))))
			.satisfies((ex) -> assertThat(ex.kind()).isEqualTo(StoreException.Kind.DATA))
			.satisfies((ex) -> assertThat(ex.isOutcomeUnknown()).isFalse());
		assertThat(this.tables.everything()).isEqualTo(before);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aSuccessInATransactionOfTheCallerIsThereExactlyIfThatCommits(boolean linked) throws Exception {
		ClaimedJob job = this.tables.claimed(this.pool);
		Settlement.Succeeded success = new Settlement.Succeeded(job.id(), job.lease(), "1", linked ? LINK : null);
		List<String> before = this.tables.everything();
		try (Connection connection = this.database.createDataSource().getConnection()) {
			connection.setAutoCommit(false);
			assertThat(this.store.settle(connection, success)).isTrue();
			connection.rollback();
			assertThat(this.tables.everything()).isEqualTo(before);
			assertThat(this.store.settle(connection, success)).isTrue();
			connection.commit();
		}
		assertThat(this.tables.only("gator_job_history")).containsEntry("state", "SUCCEEDED");
		assertThat(this.tables.table().count("gator_job where name = 'Next'")).isEqualTo(linked ? 1 : 0);
		assertThat(this.tables.table().count("gator_job where name <> 'Next'")).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void aSuccessInATransactionOfTheCallerIsWrittenHoweverTheDriverSendsStatements(PreferQueryMode mode)
			throws Exception {
		PGSimpleDataSource dataSource = this.database.createDataSource();
		dataSource.setPreferQueryMode(mode);
		for (AutoSave savepoints : AutoSave.values()) {
			dataSource.setAutosave(savepoints);
			ClaimedJob job = this.tables.claimed(this.pool);
			try (Connection connection = dataSource.getConnection()) {
				connection.setAutoCommit(false);
				assertThat(this.store.settle(connection, new Settlement.Succeeded(job.id(), job.lease(), "1", LINK)))
					.isTrue();
				connection.commit();
			}
		}
		assertThat(this.tables.table().count("gator_job_history where result::text = '1'")).isEqualTo(3);
		assertThat(this.tables.table().count("gator_job where name = 'Next'")).isEqualTo(3);
	}

	@ParameterizedTest
	@CsvSource({ "true, true", "true, false", "false, false" })
	void whatIsPreparedInASessionOfTheCallerReadsByTheIndexWhenTheTableHasGrown(boolean history, boolean linked)
			throws Exception {
		Settlement.Succeeded success = new Settlement.Succeeded(-1, 1, null, linked ? LINK : null);
		JobStore jobs = history ? this.store : this.tables.withoutHistory().jobs();
		this.tables.jdbc().sql("vacuum analyze gator_job").update();
		try (Connection connection = this.database.createDataSource().getConnection()) {
			JdbcClient session = JdbcClient.create(new SingleConnectionDataSource(connection, true));
			connection.setAutoCommit(false);
			for (int i = 0; i < 10; i++) {
				assertThat(jobs.settle(connection, success)).isFalse();
			}
			assertThat(session
				.sql("select sum(generic_plans) from pg_prepared_statements where statement like '%delete from%'")
				.query(Integer.class)
				.single()).isPositive();
			this.tables.jdbc().sql("""
					insert into gator_job (queue, name, args)
					select 'default', 'Work', '[]' from generate_series(1, 10000)
					""").update();
			connection.commit();
			assertThat(jobs.settle(connection, success)).isFalse();
			assertThat(session.sql(
					"select seq_scan, idx_scan > 0 as by_index from pg_stat_xact_user_tables where relname = 'gator_job'")
				.query()
				.singleRow()).containsEntry("seq_scan", 0L).containsEntry("by_index", true);
		}
	}

	@Test
	void whatATransactionOfTheCallerHasSetHoldsAfterASuccess() throws Exception {
		try (Connection connection = this.database.createDataSource().getConnection()) {
			JdbcClient session = JdbcClient.create(new SingleConnectionDataSource(connection, true));
			session.sql("set enable_sort = off").update();
			List<String> ofSession = settings(session);
			connection.setAutoCommit(false);
			session.sql("set local enable_hashjoin = off").update();
			session.sql("set local plan_cache_mode = force_custom_plan").update();
			List<String> ofTransaction = settings(session);
			assertThat(this.store.settle(connection, succeeded(this.tables.claimed(this.pool)))).isTrue();
			assertThat(settings(session)).isEqualTo(ofTransaction).isNotEqualTo(ofSession);
			connection.commit();
			assertThat(settings(session)).isEqualTo(ofSession);
		}
	}

	private static List<String> settings(JdbcClient session) {
		return session.sql("select name || '=' || setting from pg_settings order by name").query(String.class).list();
	}

}
