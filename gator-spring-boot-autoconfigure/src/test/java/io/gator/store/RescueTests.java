package io.gator.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

/**
 * The contract of {@link WorkerStore} and of {@link JobStore#releaseLost}: who lives, and
 * what becomes of the jobs of those who do not. What happens at the same time is shown by
 * the fault suite.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class RescueTests {

	private final DatabaseHandle database;

	private final StoreTables tables;

	private final WorkerStore workers;

	RescueTests(DatabaseHandle database) {
		this.database = database;
		this.tables = new StoreTables(database);
		this.workers = this.tables.stores().workers();
	}

	@BeforeEach
	void clear() {
		this.tables.clear();
	}

	@Test
	void aPoolIsRescuedWhenItsLeaseIsOverAndNotBefore() {
		long silent = this.tables.pool();
		ClaimedJob job = this.tables.claimed(silent);
		long living = this.tables.pool();
		this.tables.advance(Duration.ofMinutes(55));
		assertThat(this.workers.rescue(List.of(living), true)).isEmpty();
		this.tables.advance(Duration.ofMinutes(6));
		assertThat(this.workers.rescue(List.of(living), true)).containsExactly(job.id());
		assertThat(this.tables.only("gator_job")).containsEntry("attempts", 1)
			.containsEntry("lease", job.lease() + 1)
			.containsEntry("reserved_by", null);
		assertThat(this.tables.secondsBetween("next_execution_at", "created_at", "gator_job")).isBetween(3660.0,
				3720.0);
		assertThat(this.tables.secondsBetween("last_executed_at", "to_timestamp(" + job.claimedAt() + ")", "gator_job"))
			.isCloseTo(0, within(0.001));
	}

	@Test
	void aRowAtTheLimitsOfItsColumnsKeepsNoOtherFromBeingRescued() {
		long silent = this.tables.pool();
		ClaimedJob extreme = this.tables.claimedAtTheLimits(silent);
		ClaimedJob ordinary = this.tables.claimed(silent);
		this.tables.advance(Duration.ofHours(2));
		assertThat(this.workers.rescue(List.of(), true)).containsExactlyInAnyOrder(extreme.id(), ordinary.id());
	}

	/** Nothing but a role with the right to insert can make such rows. */
	@Test
	void rowsThatWereWrittenAsReservedWithImpossibleValuesKeepNoOtherFromBeingRescued() {
		long silent = this.tables.pool();
		ClaimedJob ordinary = this.tables.claimed(silent);
		reserved(silent, Integer.MAX_VALUE, Long.MAX_VALUE);
		reserved(silent, Integer.MIN_VALUE, Long.MIN_VALUE);
		this.tables.advance(Duration.ofHours(2));
		assertThat(this.workers.rescue(List.of(), true)).hasSize(3).contains(ordinary.id());
		assertThat(this.tables.table().count("gator_worker")).isZero();
	}

	@Test
	void rowsThatWereWrittenAsReservedWithImpossibleValuesAreGivenBackAfterALostAnswer() {
		long pool = this.tables.pool();
		reserved(pool, Integer.MAX_VALUE, Long.MAX_VALUE);
		reserved(pool, Integer.MIN_VALUE, Long.MIN_VALUE);
		assertThat(this.tables.stores().jobs().releaseLost(pool, List.of(), 0).released()).isEqualTo(2);
	}

	private void reserved(long pool, int attempts, long lease) {
		this.tables.jdbc().sql("""
				insert into gator_job (queue, name, args, attempts, lease, reserved_by, reserved_at)
				values ('default', 'Work', '[]', ?, ?, ?, now())
				""").params(attempts, lease, pool).update();
	}

	@Test
	void aRowThatATriggerKeepsFromBeingFreedKeepsNoOther() {
		AtomicLong nanos = new AtomicLong();
		WorkerStore rescuing = workersAt(nanos);
		long silent = this.tables.pool();
		ClaimedJob kept = this.tables.claimed(silent);
		List<Long> others = List.of(this.tables.claimed(silent).id(), this.tables.claimed(silent).id(),
				this.tables.claimed(silent).id());
		this.tables.advance(Duration.ofHours(2));
		this.tables.jdbc()
			.sql("create function keep() returns trigger language plpgsql as $$ begin raise 'kept'; end $$")
			.update();
		this.tables.jdbc().sql("""
				create trigger keep before update on gator_job
				for each row when (old.id = %d) execute function keep()
				""".formatted(kept.id())).update();
		try {
			assertThat(rescuing.rescue(List.of(), true)).containsExactlyInAnyOrderElementsOf(others);
			assertThatThrownBy(() -> rescuing.rescue(List.of(), true)).isInstanceOf(StoreException.class)
				.hasMessageContaining("rescue job " + kept.id())
				.hasMessageContaining("kept");
			assertThat(rescuing.rescue(List.of(), true)).as("not tried at once again").isEmpty();
		}
		finally {
			this.tables.jdbc().sql("drop function keep cascade").update();
		}
		nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		assertThat(rescuing.rescue(List.of(), true)).containsExactly(kept.id());
	}

	@Test
	void aBeatKeepsAPoolsJobsHoweverOldItIs() {
		long beating = this.tables.pool();
		this.tables.claimed(beating);
		long silent = this.tables.pool();
		ClaimedJob job = this.tables.claimed(silent);
		this.tables.advance(Duration.ofHours(2));
		assertThat(this.workers.beat(beating, 10, 1, Set.of("default"), Set.of()).missing()).isTrue();
		assertThat(this.workers.rescue(List.of(), true)).containsExactly(job.id());
		assertThat(this.tables.reservedBy(beating)).hasSize(1);
		assertThat(this.workers.rescue(List.of(), true)).isEmpty();
	}

	@Test
	void whoeverIsKnownToLiveIsNotRescuedThoughItHasNotBeaten() {
		long busy = this.tables.pool();
		this.tables.claimed(busy);
		this.tables.advance(Duration.ofHours(2));
		assertThat(this.workers.rescue(List.of(busy), true)).isEmpty();
		assertThat(this.tables.reservedBy(busy)).hasSize(1);
	}

	@Test
	void whoBeatBeforeTheClockWasPutForwardIsRescuedWhenItsLeaseIsOverWithoutThat() {
		WorkerStore watching = this.tables.ofAnotherProcess().workers();
		long silent = this.tables.pool();
		ClaimedJob job = this.tables.claimed(silent);
		long one = this.tables.pool();
		watching.beat(one, 10, 1, Set.of(), Set.of());
		this.tables.step(Duration.ofHours(5));
		watching.beat(one, 10, 1, Set.of(), Set.of());
		assertThat(watching.rescue(List.of(one), true)).isEmpty();
		this.tables.advance(Duration.ofMinutes(55));
		watching.beat(one, 10, 1, Set.of(), Set.of());
		assertThat(watching.rescue(List.of(one), true)).isEmpty();
		this.tables.advance(Duration.ofMinutes(6));
		assertThat(watching.rescue(List.of(one), true)).containsExactly(job.id());
	}

	@Test
	void theServerIsTheSameOneInEveryTimeZone() throws SQLException {
		long pool = this.tables.pool();
		try (SingleConnectionDataSource elsewhere = new SingleConnectionDataSource(
				this.database.createDataSource().getConnection(), true)) {
			JdbcClient.create(elsewhere).sql("set time zone 'Asia/Tokyo'").update();
			WorkerStore there = GatorStores.open(elsewhere, "public", Duration.ofSeconds(10), true).workers();
			assertThat(there.beat(pool, 10, 0, Set.of(), Set.of()).server())
				.isEqualTo(this.workers.beat(pool, 10, 0, Set.of(), Set.of()).server());
		}
	}

	@Test
	void whoHasBeatenSinceTheClockWasPutForwardIsCountedByTheClockAsItIs() {
		WorkerStore watching = this.tables.ofAnotherProcess().workers();
		long other = this.tables.pool();
		ClaimedJob job = this.tables.claimed(other);
		long one = this.tables.pool();
		watching.beat(one, 10, 1, Set.of(), Set.of());
		this.tables.step(Duration.ofHours(5));
		watching.beat(one, 10, 1, Set.of(), Set.of());
		watching.beat(other, 10, 1, Set.of(), Set.of());
		this.tables.advance(Duration.ofMinutes(55));
		assertThat(watching.rescue(List.of(one), true)).isEmpty();
		this.tables.advance(Duration.ofMinutes(6));
		assertThat(watching.rescue(List.of(one), true)).containsExactly(job.id());
	}

	@Test
	void aClockThatIsPutForwardAndBackIsTheOldOne() {
		WorkerStore watching = this.tables.ofAnotherProcess().workers();
		long one = this.tables.pool();
		watching.beat(one, 10, 1, Set.of(), Set.of());
		this.tables.step(Duration.ofHours(5));
		watching.beat(one, 10, 1, Set.of(), Set.of());
		this.tables.step(Duration.ofHours(-6));
		watching.beat(one, 10, 1, Set.of(), Set.of());
		long silent = this.tables.pool();
		ClaimedJob job = this.tables.claimed(silent);
		this.tables.advance(Duration.ofMinutes(55));
		assertThat(watching.rescue(List.of(one), true)).isEmpty();
		this.tables.advance(Duration.ofMinutes(6));
		assertThat(watching.rescue(List.of(one), true)).containsExactly(job.id());
	}

	@Test
	void aPoolThatDiedBeforeTheClockWasPutBackIsRescuedWhenItsLeaseIsOverCountedFromThen() {
		long silent = this.tables.pool();
		ClaimedJob job = this.tables.claimed(silent);
		long living = this.tables.pool();
		this.tables.advance(Duration.ofHours(-5));
		assertThat(this.workers.beat(living, 10, 1, Set.of(), Set.of()).missing()).isTrue();
		assertThat(this.workers.rescue(List.of(living), true)).isEmpty();
		assertThat(this.workers.beat(living, 10, 1, Set.of(), Set.of()).missing()).isFalse();
		this.tables.advance(Duration.ofMinutes(55));
		assertThat(this.workers.beat(living, 10, 1, Set.of(), Set.of()).missing()).isTrue();
		assertThat(this.workers.rescue(List.of(living), true)).isEmpty();
		this.tables.advance(Duration.ofMinutes(6));
		assertThat(this.workers.rescue(List.of(living), true)).containsExactly(job.id());
		assertThat(this.tables.table().count("gator_worker")).isOne();
	}

	@Test
	void aBeatFromTheEndOfTimeHoldsUpNoRescue() {
		long silent = this.tables.pool();
		ClaimedJob job = this.tables.claimed(silent);
		long living = this.tables.pool();
		long strange = this.tables.pool();
		this.tables.jdbc().sql("update gator_worker set beat_at = 'infinity' where id = ?").param(strange).update();
		this.tables.advance(Duration.ofHours(2));
		assertThat(this.workers.beat(living, 10, 1, Set.of(), Set.of()).alive()).isTrue();
		assertThat(this.workers.rescue(List.of(living), true)).containsExactly(job.id());
	}

	@Test
	void aPoolThatGoesOnBeatingAfterTheClockWasPutBackKeepsItsJobs() {
		long one = this.tables.pool();
		long two = this.tables.pool();
		this.tables.claimed(two);
		for (int time = 0; time < 3; time++) {
			this.tables.advance(Duration.ofHours(-5));
			assertThat(this.workers.beat(one, 10, 1, Set.of(), Set.of()).missing()).isTrue();
			assertThat(this.workers.rescue(List.of(one), true)).isEmpty();
			this.tables.advance(Duration.ofMinutes(59));
			assertThat(this.workers.rescue(List.of(one), true)).isEmpty();
			assertThat(this.workers.beat(two, 10, 1, Set.of(), Set.of()).alive()).isTrue();
			assertThat(this.workers.beat(one, 10, 1, Set.of(), Set.of()).missing()).isFalse();
		}
		assertThat(this.tables.reservedBy(two)).hasSize(1);
	}

	@Test
	void aClockThatIsPutBackByLessThanABeatMakesNobodyMissing() {
		long one = this.tables.pool();
		this.tables.pool();
		this.tables.advance(Duration.ofSeconds(-50));
		List<?> before = this.tables.jdbc().sql("select id, beat_at from gator_worker").query().listOfRows();
		assertThat(this.workers.rescue(List.of(), true)).isEmpty();
		assertThat(this.tables.jdbc().sql("select id, beat_at from gator_worker").query().listOfRows())
			.isEqualTo(before);
		assertThat(this.workers.beat(one, 10, 1, Set.of(), Set.of()).missing()).isFalse();
	}

	@Test
	void theOldestPoolIsTheFirstOneWhoseLeaseIsNotOver() {
		assertThat(this.workers.isOldest(List.of())).isFalse();
		long silent = this.tables.pool();
		this.tables.advance(Duration.ofMinutes(55));
		long first = this.tables.pool();
		long second = this.tables.pool();
		assertThat(this.workers.isOldest(List.of(silent))).isTrue();
		assertThat(this.workers.isOldest(List.of(first, second))).isFalse();
		this.tables.advance(Duration.ofMinutes(6));
		assertThat(this.workers.isOldest(List.of(silent))).isFalse();
		assertThat(this.workers.isOldest(List.of(second))).isFalse();
		assertThat(this.workers.isOldest(List.of(second, first))).isTrue();
	}

	@Test
	void jobsAreRescuedWhereverTheyAreInALargeTable() {
		long silent = this.tables.pool();
		ClaimedJob first = this.tables.claimed(silent);
		this.tables.jdbc().sql("""
				insert into gator_job (queue, name, args)
				select 'large', 'Work', '[]' from generate_series(1, 200000)
				""").update();
		ClaimedJob last = this.tables.claimed(silent);
		assertThat(this.tables.table()
			.count("gator_job where id = " + last.id() + " and ctid > '(" + TablePages.RANGE + ",0)'")).isOne();
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(this.workers.rescue(List.of(), true)).containsExactlyInAnyOrder(first.id(), last.id());
		this.tables.claim(silent, 2, StoreTables.share("default", 2));
		assertThat(this.workers.rescueOrphans()).containsExactlyInAnyOrder(first.id(), last.id());
	}

	@Test
	void theJobsOnTheLastPageOfARangeAreRescuedToo() {
		long silent = this.tables.pool();
		this.tables.jdbc().sql("""
				insert into gator_job (queue, name, args, attempts, lease, reserved_by, reserved_at)
				select 'large', 'Work', '[]', 1, 1, case when n % 40 = 0 then ? end, case when n % 40 = 0 then now() end
				  from generate_series(1, 200000) n
				""").param(silent).update();
		assertThat(this.tables.table()
			.count("gator_job where reserved_by is not null and ctid > '(%d,0)' and ctid < '(%d,0)'"
				.formatted(TablePages.RANGE - 1, TablePages.RANGE)))
			.isPositive();
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(this.workers.rescue(List.of(), true)).hasSize(5_000);
		assertThat(this.tables.table().count("gator_job where reserved_by is not null")).isZero();
	}

	@Test
	void aPoolIsRememberedUntilNothingIsLeftThatItHolds() throws Exception {
		long silent = this.tables.pool();
		ClaimedJob locked = this.tables.claimed(silent);
		ClaimedJob free = this.tables.claimed(silent);
		this.tables.advance(Duration.ofMinutes(61));
		try (Connection other = this.database.createDataSource().getConnection();
				Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute("select 1 from gator_job where id = " + locked.id() + " for update");
			assertThat(this.workers.rescue(List.of(), true)).containsExactly(free.id());
			other.rollback();
		}
		assertThat(this.tables.table().count("gator_worker")).isOne();
		assertThat(this.workers.rescue(List.of(), true)).containsExactly(locked.id());
		assertThat((String) this.tables.table().job(locked.id()).get("error_details")).contains("pool default");
		assertThat(this.tables.table().count("gator_worker")).isZero();
	}

	@Test
	void whileNothingCanBeFreedTheJobsAreNotLookedForWithEachRescueUnlessAnotherPoolDies() throws Exception {
		AtomicLong nanos = new AtomicLong();
		WorkerStore rescuing = workersAt(nanos);
		long silent = this.tables.pool();
		ClaimedJob locked = this.tables.claimed(silent);
		this.tables.advance(Duration.ofMinutes(61));
		long next = this.tables.pool();
		ClaimedJob free = this.tables.claimed(next);
		try (Connection other = this.database.createDataSource().getConnection();
				Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute("select 1 from gator_job where id = " + locked.id() + " for update");
			assertThat(rescuing.rescue(List.of(), true)).isEmpty();
			beatAt(next, "'-infinity'");
			assertThat(rescuing.rescue(List.of(), true)).containsExactly(free.id());
			assertThat(rescuing.rescue(List.of(), true)).isEmpty();
			other.rollback();
		}
		assertThat(rescuing.rescue(List.of(), true)).as("it does not look").isEmpty();
		nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		assertThat(rescuing.rescue(List.of(), true)).containsExactly(locked.id());
		assertThat(this.tables.table().count("gator_worker")).isZero();
	}

	private WorkerStore workersAt(AtomicLong nanos) {
		return GatorStores
			.open(this.database.hikari(), "public", Duration.ofSeconds(30), true, "test_now()", nanos::get)
			.workers();
	}

	@Test
	void aPoolThatBeatsAfterItWasFoundSilentIsNotForgotten() throws Exception {
		long silent = this.tables.pool();
		this.tables.advance(Duration.ofMinutes(61));
		CompletableFuture<List<Long>> rescue;
		try (Connection other = this.database.createDataSource().getConnection();
				Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute("lock table gator_job in access exclusive mode");
			rescue = CompletableFuture.supplyAsync(() -> this.workers.rescue(List.of(), true));
			awaitSomebodyWaits("pg_relation_size");
			assertThat(this.workers.beat(silent, 10, 1, Set.of(), Set.of()).alive()).isTrue();
			other.rollback();
		}
		assertThat(rescue.get(30, TimeUnit.SECONDS)).isEmpty();
		assertThat(this.workers.beat(silent, 10, 1, Set.of(), Set.of()).alive()).isTrue();
	}

	@Test
	void whatSomebodyElseHasClaimedSinceItWasFoundIsNeitherRescuedNorReleased() throws Exception {
		long silent = this.tables.pool();
		ClaimedJob job = this.tables.claimed(silent);
		this.tables.advance(Duration.ofMinutes(61));
		long living = this.tables.pool();
		assertThat(whileClaimedBy(living, job, () -> this.workers.rescue(List.of(), true))).isEmpty();
		this.tables.jdbc().sql("update gator_job set reserved_by = ?").param(silent).update();
		assertThat(whileClaimedBy(living, job, () -> this.tables.stores().jobs().releaseLost(silent, List.of(), 0)))
			.as("left, whosever it is now")
			.isEqualTo(new JobStore.SearchStep(0, 1, 0));
	}

	@Test
	void aLostJobWhoseRowSomebodyHoldsIsLeftForTheNextLook() throws Exception {
		long pool = this.tables.pool();
		ClaimedJob lost = this.tables.claimed(pool);
		try (Connection other = this.database.createDataSource().getConnection();
				Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			statement.execute("select * from gator_job where id = " + lost.id() + " for update");
			assertThat(this.tables.stores().jobs().releaseLost(pool, List.of(), 0))
				.isEqualTo(new JobStore.SearchStep(0, 1, 0));
			other.rollback();
		}
		assertThat(this.tables.stores().jobs().releaseLost(pool, List.of(), 0))
			.isEqualTo(new JobStore.SearchStep(1, 0, 0));
	}

	/** The job goes to another pool after it was looked for and before it is changed. */
	private <T> T whileClaimedBy(long pool, ClaimedJob job, Supplier<T> call) throws Exception {
		CompletableFuture<T> answer;
		try (Connection other = this.database.createDataSource().getConnection();
				Statement statement = other.createStatement()) {
			other.setAutoCommit(false);
			// Lets rows be read and none be changed.
			statement.execute("lock table gator_job in share mode");
			statement
				.execute("update gator_job set reserved_by = " + pool + ", lease = lease + 1 where id = " + job.id());
			answer = CompletableFuture.supplyAsync(call);
			awaitSomebodyWaits("update");
			other.commit();
		}
		T value = answer.get(30, TimeUnit.SECONDS);
		assertThat(this.tables.reservedBy(pool)).containsExactly(job.id());
		return value;
	}

	private void awaitSomebodyWaits(String statement) {
		await().until(() -> this.tables.jdbc().sql("""
				select exists (select 1 from pg_stat_activity
				                where datname = current_database() and wait_event_type = 'Lock' and query like ?)
				""").param("%" + statement + "%").query(Boolean.class).single());
	}

	@Test
	void nobodyIsRescuedInTheFirstTenSecondsOfAServer() {
		long dead = this.tables.pool();
		ClaimedJob job = this.tables.claimed(dead);
		long living = this.tables.pool();
		sinceTheStartOfTheServer(Duration.ofSeconds(2));
		beatAt(dead, "pg_postmaster_start_time() - interval '3 hours'");
		beatAt(living, "test_now() + interval '2 hours'");
		List<Map<String, Object>> before = this.tables.jdbc()
			.sql("select id, beat_at from gator_worker")
			.query()
			.listOfRows();
		assertThat(this.workers.rescue(List.of(), true)).as("who has not come back yet may live").isEmpty();
		assertThat(this.tables.jdbc().sql("select id, beat_at from gator_worker").query().listOfRows())
			.as("dated anew, it would pass for heard since the start")
			.containsExactlyInAnyOrderElementsOf(before);
		sinceTheStartOfTheServer(Duration.ofSeconds(12));
		beatAt(dead, "pg_postmaster_start_time() - interval '3 hours'");
		assertThat(this.workers.rescue(List.of(), true)).containsExactly(job.id());
		assertThat(this.tables.table().count("gator_worker where beat_at <= test_now()")).isOne();
	}

	private void sinceTheStartOfTheServer(Duration time) {
		double ahead = this.tables.secondsBetween("pg_postmaster_start_time()", "test_now()", "test_clock");
		this.tables.step(Duration.ofSeconds(Math.round(ahead)).plus(time));
	}

	private void beatAt(long pool, String time) {
		this.tables.jdbc().sql("update gator_worker set beat_at = " + time + " where id = ?").param(pool).update();
	}

	@Test
	void aLookForLostJobsOfALargeTableSaysWhereToGoOn() {
		long pool = this.tables.pool();
		this.tables.jdbc().sql("""
				insert into gator_job (queue, name, args)
				select 'large', 'Work', '[]' from generate_series(1, 200000)
				""").update();
		ClaimedJob lost = this.tables.claimed(pool);
		JobStore.SearchStep first = this.tables.stores().jobs().releaseLost(pool, List.of(), 0);
		assertThat(first).isEqualTo(new JobStore.SearchStep(0, 0, TablePages.RANGE));
		assertThat(this.tables.stores().jobs().releaseLost(pool, List.of(lost.id()), first.next()))
			.isEqualTo(new JobStore.SearchStep(0, 0, 0));
		assertThat(this.tables.stores().jobs().releaseLost(pool, List.of(), first.next()))
			.isEqualTo(new JobStore.SearchStep(1, 0, 0));
		assertThat(this.tables.reservedBy(pool)).isEmpty();
	}

	@Test
	void aRescuedPoolIsForgottenAndLearnsItFromItsNextBeat() {
		long silent = this.tables.pool();
		this.tables.claimed(silent);
		assertThat(this.workers.beat(silent, 10, 1, Set.of(), Set.of()).alive()).isTrue();
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(this.workers.rescue(List.of(), true)).hasSize(1);
		assertThat(this.tables.table().count("gator_worker")).isZero();
		assertThat(this.workers.beat(silent, 10, 1, Set.of(), Set.of()).alive()).isFalse();
	}

	@Test
	void aBeatBringsTheCancellationsLeftForItUntilTheyWereHeardAndSeesWhoIsMissing() {
		long pool = this.tables.pool();
		long other = this.tables.pool();
		this.tables.jdbc().sql("update gator_worker set cancels = '{5,7}' where id = ?").param(pool).update();
		assertThat(this.workers.beat(other, 10, 0, Set.of(), Set.of()).cancelled()).isEmpty();
		WorkerStore.Beat beat = this.workers.beat(pool, 10, 3, Set.of("a", "b"), Set.of());
		assertThat(beat.cancelled()).containsExactlyInAnyOrder(5L, 7L);
		assertThat(beat.missing()).isFalse();
		assertThat(this.workers.beat(pool, 10, 3, Set.of("a"), Set.of(5L)).cancelled()).containsExactly(7L);
		assertThat(this.workers.beat(pool, 10, 3, Set.of("a", "b"), Set.of(7L)).cancelled()).isEmpty();
		assertThat(this.tables.table().count("gator_worker where busy = 3 and queues @> '{a,b}'")).isOne();
		this.tables.advance(Duration.ofMinutes(4));
		assertThat(this.workers.beat(pool, 10, 3, Set.of(), Set.of()).missing()).isTrue();
		this.workers.retire(other);
		assertThat(this.workers.beat(pool, 10, 3, Set.of(), Set.of()).missing()).isFalse();
	}

	@Test
	void whereThereAreManyPoolsNotEachBeatLooksForThoseThatAreMissing() {
		long pool = this.tables.pool();
		this.tables.jdbc().sql("""
				insert into gator_worker (pool, host, pid, heartbeat, lease, slots, beat_at)
				select 'default', 'there', n, '1 minute', '1 hour', 10, now() - interval '4 minutes'
				  from generate_series(1, 400) n
				""").update();
		// Its looks take no time, so they are quick.
		WorkerStore beating = workersAt(new AtomicLong(TimeUnit.HOURS.toNanos(1)));
		long looks = Stream.generate(() -> beating.beat(pool, 10, 0, Set.of(), Set.of()))
			.limit(100)
			.filter(WorkerStore.Beat::missing)
			.count();
		assertThat(looks).as("one passes between two of them at most").isBetween(50L, 90L);
	}

	@Test
	void releasingTheLostTakesWhatThePoolDoesNotKnowOfAndNothingOfTheOthers() {
		long pool = this.tables.pool();
		long other = this.tables.pool();
		ClaimedJob known = this.tables.claimed(pool);
		ClaimedJob lost = this.tables.claimed(pool);
		ClaimedJob others = this.tables.claimed(other);
		long due = this.tables.due("default", -5);
		assertThat(this.tables.claim(pool, 1, StoreTables.share("default", 1))).hasSize(1);
		double time = this.tables.secondsBetween("next_execution_at", "'1970-01-01 00:00:00+00'::timestamptz",
				"gator_job where id = " + due);
		assertThat(this.tables.stores().jobs().releaseLost(pool, List.of(known.id()), 0).released()).isEqualTo(2);
		assertThat(this.tables.reservedBy(pool)).containsExactly(known.id());
		assertThat(this.tables.reservedBy(other)).containsExactly(others.id());
		assertThat(this.tables.table()
			.count("gator_job where id in (" + lost.id() + ", " + due
					+ ") and reserved_at is null and attempts = 0 and lease = 2 and error_details is null"))
			.isEqualTo(2);
		// Both keep their place.
		assertThat(this.tables.table().job(lost.id())).containsEntry("due_at", null);
		assertThat(this.tables.secondsBetween("next_execution_at", "to_timestamp(" + time + ")",
				"gator_job where id = " + due))
			.isBetween(-0.001, 0.001);
		assertThat(this.tables.stores().jobs().releaseLost(pool, List.of(known.id()), 0).released()).isZero();
	}

}
