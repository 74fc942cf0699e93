package io.gator.maintenance;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.gator.store.GatorStores;
import io.gator.store.InsightStore;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import io.gator.store.TestClock;
import io.gator.store.UpkeepStore;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

@FreshDatabase
@ExtendWith(OutputCaptureExtension.class)
class HistoryPrunerTests {

	@Test
	void whatOneTurnLeavesIsDeletedInTheNextAndNotAMinuteLater(DatabaseHandle database) {
		TestClock clock = new TestClock(database);
		HistoryPruner pruner = pruner(clock, Duration.ofDays(365));
		long later = System.nanoTime() + Duration.ofMinutes(2).toNanos();
		database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
				select i, 'default', 'Old', 'SUCCEEDED', 1, 1, now(), now() from generate_series(1, 100001) i
				""").update();
		clock.advance(Duration.ofDays(1).plusMinutes(1));
		assertThat(pruner.runIfDue(System.nanoTime())).as("in the first minute").isZero();
		assertThat(pruner.runIfDue(later)).isEqualTo(100_000);
		assertThat(pruner.runIfDue(later)).isOne();
		database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
				values (1, 'default', 'Old', 'SUCCEEDED', 1, 1, now(), now())
				""").update();
		assertThat(pruner.runIfDue(later)).as("nothing was left").isZero();
		assertThat(pruner.runIfDue(later + Duration.ofMinutes(1).toNanos())).isOne();
	}

	@Test
	void whatIsTooOldIsDeletedInChunksAndTheRestIsKept(DatabaseHandle database) {
		TestClock clock = new TestClock(database);
		database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
				select i, 'default', 'Old', 'SUCCEEDED', 1, 1, now(), now() from generate_series(1, 12000) i
				""").update();
		HistoryPruner pruner = pruner(clock, Duration.ofDays(365));
		assertThat(pruner.runOnce()).isZero();
		clock.advance(Duration.ofDays(1).plusMinutes(1));
		database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
				values (20000, 'default', 'New', 'SUCCEEDED', 1, 1, test_now(), test_now())
				""").update();
		assertThat(pruner.runOnce()).isEqualTo(12_000);
		assertThat(database.jdbc().sql("select name from gator_job_history").query(String.class).single())
			.isEqualTo("New");
	}

	@Test
	void anOldSnapshotPutsPruningOffAndThatIsSaidOnce(DatabaseHandle database, CapturedOutput output) throws Exception {
		TestClock clock = new TestClock(database);
		database.jdbc().sql("truncate gator_job_history").update();
		database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
				values (1, 'default', 'Old', 'SUCCEEDED', 1, 1, now(), now() - interval '2 days')
				""").update();
		HistoryPruner pruner = pruner(clock, Duration.ofHours(1));
		try (Connection holder = database.createDataSource().getConnection();
				Statement statement = holder.createStatement()) {
			holder.setAutoCommit(false);
			holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
			statement.execute("select count(*) from gator_job");
			clock.advance(Duration.ofHours(2));
			assertThat(pruner.runOnce()).isZero();
			assertThat(pruner.runOnce()).isZero();
			assertThat(pruner.deferred()).isEqualTo(2);
			holder.rollback();
		}
		assertThat(pruner.runOnce()).isOne();
		assertThat(pruner.runOnce()).isZero();
		assertThat(pruner.deferred()).isEqualTo(2);
		assertThat(output.toString().lines().filter((line) -> line.contains("history is not pruned"))).singleElement()
			.asString()
			.contains("INFO")
			.containsPattern("snapshot that is 72\\d\\d s old");
		assertThat(output.toString().lines().filter((line) -> line.contains("history is pruned again"))).hasSize(1);
	}

	@Test
	void aTransactionThatHasWrittenAndIsLeftIdlePutsPruningOff(DatabaseHandle database) throws Exception {
		TestClock clock = new TestClock(database);
		database.jdbc().sql("truncate gator_job_history").update();
		HistoryPruner pruner = pruner(clock, Duration.ofHours(1));
		try (Connection holder = database.createDataSource().getConnection();
				Statement statement = holder.createStatement()) {
			holder.setAutoCommit(false);
			statement.execute("create table written ()");
			clock.advance(Duration.ofHours(2));
			assertThat(pruner.runOnce()).isZero();
			assertThat(pruner.deferred()).isOne();
			holder.rollback();
		}
		assertThat(pruner.runOnce()).isZero();
		assertThat(pruner.deferred()).isOne();
	}

	private static HistoryPruner pruner(TestClock clock, Duration oldSnapshot) {
		GatorStores stores = clock.stores();
		return new HistoryPruner(stores.upkeep(), stores.insight(), Duration.ofDays(1), oldSnapshot, standing());
	}

	/** Without a database, where no old snapshot is held. */
	private static HistoryPruner pruner(UpkeepStore store) {
		return new HistoryPruner(store, mock(InsightStore.class, RETURNS_DEEP_STUBS), Duration.ofDays(1),
				Duration.ofHours(1), standing());
	}

	/** A turn that takes long is followed by a longer pause. */
	private static LongSupplier standing() {
		long now = System.nanoTime();
		return () -> now;
	}

	/** One whose history is too large to be searched at once. */
	private static UpkeepStore large() {
		UpkeepStore large = mock(UpkeepStore.class);
		when(large.pruneHistory(any(), anyInt())).thenThrow(StoreExceptions.timeout());
		return large;
	}

	/** One whose turns take a time, and delete seven rows each. */
	private static HistoryPruner slow(Duration turn) {
		AtomicLong time = new AtomicLong();
		UpkeepStore slow = mock(UpkeepStore.class);
		when(slow.pruneHistory(any(), anyInt())).thenAnswer((call) -> {
			time.addAndGet(turn.toNanos());
			return 7;
		});
		return new HistoryPruner(slow, mock(InsightStore.class, RETURNS_DEEP_STUBS), Duration.ofDays(1),
				Duration.ofHours(1), time::get);
	}

	/** One that refuses to prune once. */
	private static UpkeepStore refusing() {
		UpkeepStore refusing = mock(UpkeepStore.class);
		when(refusing.pruneHistory(any(), anyInt())).thenThrow(StoreExceptions.configuration()).thenReturn(1);
		return refusing;
	}

	@Test
	void aHistoryTooLargeForOneLookIsPrunedPartByPart() {
		List<Long> swept = new ArrayList<>();
		UpkeepStore large = large();
		when(large.sweepHistory(any(), anyInt(), anyLong())).thenAnswer((call) -> {
			long page = call.getArgument(2);
			swept.add(page);
			return new UpkeepStore.Swept(1, (page < 24) ? page + 1 : 0);
		});
		HistoryPruner pruner = pruner(large);
		long now = System.nanoTime() + Duration.ofMinutes(2).toNanos();
		assertThat(pruner.runIfDue(now)).isEqualTo(20);
		assertThat(pruner.runIfDue(now)).as("goes on at once, however little each part brings").isEqualTo(5);
		assertThat(swept).hasSize(25).startsWith(0L, 1L).endsWith(23L, 24L);
		verify(large, times(1)).pruneHistory(any(), anyInt());
		assertThat(pruner.runIfDue(now)).as("all parts are done").isZero();
		assertThat(pruner.runIfDue(now + Duration.ofMinutes(1).toNanos())).isEqualTo(20);
		verify(large, times(2)).pruneHistory(any(), anyInt());
	}

	@Test
	void whatIsMoreThanOneChunkIsNotLookedForFromTheBeginningAgain() {
		List<Long> swept = new ArrayList<>();
		UpkeepStore backlog = mock(UpkeepStore.class);
		when(backlog.pruneHistory(any(), anyInt())).thenReturn(5_000);
		when(backlog.sweepHistory(any(), anyInt(), anyLong())).thenAnswer((call) -> {
			long page = call.getArgument(2);
			swept.add(page);
			return new UpkeepStore.Swept(5_000, page + 1);
		});
		HistoryPruner pruner = pruner(backlog);
		assertThat(pruner.runOnce()).isEqualTo(100_000);
		assertThat(pruner.runOnce()).isEqualTo(100_000);
		verify(backlog, times(1)).pruneHistory(any(), anyInt());
		assertThat(swept).hasSize(39).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void partsInWhichNothingIsTooOldAreNoReasonToGoOnAtOnce() {
		UpkeepStore large = large();
		when(large.sweepHistory(any(), anyInt(), anyLong()))
			.thenAnswer((call) -> new UpkeepStore.Swept(0, call.<Long>getArgument(2) + 1));
		HistoryPruner pruner = pruner(large);
		long now = System.nanoTime() + Duration.ofMinutes(2).toNanos();
		assertThat(pruner.runIfDue(now)).isZero();
		assertThat(pruner.runIfDue(now)).isZero();
		verify(large, times(20)).sweepHistory(any(), anyInt(), anyLong());
		assertThat(pruner.runIfDue(now + Duration.ofMinutes(1).toNanos())).isZero();
		verify(large, times(40)).sweepHistory(any(), anyInt(), anyLong());
		verify(large).sweepHistory(any(), anyInt(), eq(39L));
	}

	@Test
	void aLastPartWithMoreThanMayBeDeletedAtOnceIsSweptAgain() {
		UpkeepStore large = large();
		when(large.sweepHistory(any(), anyInt(), anyLong())).thenReturn(new UpkeepStore.Swept(5_000, 0),
				new UpkeepStore.Swept(7, 0));
		HistoryPruner pruner = pruner(large);
		assertThat(pruner.runOnce()).isEqualTo(5_007);
	}

	@Test
	void turnsThatTakeLongAreTakenLessOften() {
		HistoryPruner pruner = slow(Duration.ofSeconds(3));
		long now = Duration.ofMinutes(1).toNanos();
		assertThat(pruner.runIfDue(now)).isEqualTo(7);
		assertThat(pruner.runIfDue(now + Duration.ofSeconds(299).toNanos())).isZero();
		assertThat(pruner.runIfDue(now + Duration.ofSeconds(300).toNanos())).isEqualTo(7);
	}

	@Test
	void noTurnIsPutOffForMoreThanAnHour() {
		HistoryPruner pruner = slow(Duration.ofMinutes(2));
		long now = Duration.ofMinutes(1).toNanos();
		assertThat(pruner.runIfDue(now)).isEqualTo(7);
		assertThat(pruner.runIfDue(now + Duration.ofMinutes(59).toNanos())).isZero();
		assertThat(pruner.runIfDue(now + Duration.ofMinutes(60).toNanos())).isEqualTo(7);
	}

	/** As somebody may have it whose history is large. */
	@Test
	void whatIsNotTooOldIsKeptInATableWithPartitionsToo(DatabaseHandle database) {
		TestClock clock = new TestClock(database);
		GatorStores stores = clock.stores();
		database.jdbc().sql("alter table gator_job_history rename to gator_job_history_whole").update();
		try {
			database.jdbc().sql("""
					create table gator_job_history (like gator_job_history_whole including defaults)
					    partition by list ((id < 100))
					""").update();
			database.jdbc().sql("create table first_part partition of gator_job_history for values in (true)").update();
			database.jdbc()
				.sql("create table other_part partition of gator_job_history for values in (false)")
				.update();
			database.jdbc().sql("""
					insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
					select i, 'default', 'Any', 'SUCCEEDED', 1, 1, now(),
					       now() - case when i < 100 then 2 else 0 end * interval '1 day'
					  from generate_series(1, 150) i
					""").update();
			assertThat(stores.upkeep().pruneHistory(Duration.ofDays(1), 1000)).isEqualTo(99);
			assertThat(database.jdbc().sql("select count(*) from gator_job_history").query(Integer.class).single())
				.isEqualTo(51);
		}
		finally {
			database.jdbc().sql("drop table gator_job_history").update();
			database.jdbc().sql("alter table gator_job_history_whole rename to gator_job_history").update();
		}
	}

	@Test
	void aTurnThatFailsIsTriedAgainAMinuteLater() {
		HistoryPruner pruner = pruner(refusing());
		long now = System.nanoTime() + Duration.ofMinutes(2).toNanos();
		assertThatThrownBy(() -> pruner.runIfDue(now)).isInstanceOf(StoreException.class);
		assertThat(pruner.runIfDue(now)).isZero();
		assertThat(pruner.runIfDue(now + Duration.ofMinutes(1).toNanos())).isOne();
	}

	@ParameterizedTest
	@CsvSource({ "0, 60", "1, 5", "5, 5", "20, 20", "60, 60", "3600, 60" })
	void aHistoryThatIsKeptForLessThanAMinuteIsPrunedAsOftenButNotInEachSecond(int retention, int pause) {
		AtomicLong time = new AtomicLong();
		UpkeepStore store = mock(UpkeepStore.class);
		when(store.pruneHistory(any(), anyInt())).thenReturn(7);
		HistoryPruner pruner = new HistoryPruner(store, mock(InsightStore.class, RETURNS_DEEP_STUBS),
				Duration.ofSeconds(retention), Duration.ofHours(1), time::get);
		for (int turn = 1; turn <= 2; turn++) {
			time.addAndGet(Duration.ofSeconds(pause - 1).toNanos());
			assertThat(pruner.runIfDue()).isZero();
			time.addAndGet(Duration.ofSeconds(1).toNanos());
			assertThat(pruner.runIfDue()).isEqualTo(7);
		}
	}

	@Test
	void aTurnThatFailsCountsAsPutOff() {
		HistoryPruner pruner = pruner(refusing());
		assertThatThrownBy(pruner::runOnce).isInstanceOf(StoreException.class);
		assertThat(pruner.deferred()).isOne();
		assertThat(pruner.runOnce()).isOne();
		assertThat(pruner.deferred()).isOne();
	}

	@Test
	void eachPartIsSweptOfWhatIsTooOldAndTheRestIsKept(DatabaseHandle database) {
		TestClock clock = new TestClock(database);
		database.jdbc().sql("truncate gator_job_history").update();
		// Two parts of 4,096 pages each, nearly.
		database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at, result)
				select i, 'default', 'Old', 'SUCCEEDED', 1, 1, now(),
				       now() - case when i % 2000 = 0 then 2 else 0 end * interval '1 day', to_json(repeat('x', 1500))
				  from generate_series(1, 40000) i
				""").update();
		UpkeepStore store = clock.stores().upkeep();
		UpkeepStore.Swept first = store.sweepHistory(Duration.ofDays(1), 5, 0);
		assertThat(first).as("as many as may be at once").isEqualTo(new UpkeepStore.Swept(5, 0));
		first = store.sweepHistory(Duration.ofDays(1), 100, 0);
		assertThat(first.next()).isEqualTo(4096);
		UpkeepStore.Swept second = store.sweepHistory(Duration.ofDays(1), 100, first.next());
		assertThat(second.next()).isZero();
		assertThat(5 + first.rows() + second.rows()).isEqualTo(20);
		assertThat(first.rows()).isPositive();
		assertThat(second.rows()).isPositive();
		assertThat(database.jdbc().sql("select count(*) from gator_job_history").query(Integer.class).single())
			.isEqualTo(39_980);
		database.jdbc().sql("truncate gator_job_history").update();
	}

	@Test
	void onlyOneProcessPrunesAtATime(DatabaseHandle database) throws Exception {
		TestClock clock = new TestClock(database);
		database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
				values (1, 'default', 'Old', 'SUCCEEDED', 1, 1, now(), now() - interval '2 days')
				""").update();
		try (var other = database.createDataSource().getConnection(); var statement = other.createStatement()) {
			statement.execute("select pg_advisory_lock(hashtext('gator.public.history'))");
			assertThat(clock.stores().upkeep().pruneHistory(Duration.ofDays(1), 10)).isZero();
			// A session that is closed may have it for a moment longer.
			statement.execute("select pg_advisory_unlock(hashtext('gator.public.history'))");
		}
		assertThat(clock.stores().upkeep().pruneHistory(Duration.ofDays(1), 10)).isOne();
	}

}
