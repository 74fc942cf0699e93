package io.gator.fault;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.gator.store.ClaimedJob;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * P7 and P3: nobody's jobs are taken while it lives, and everybody's when it is gone.
 */
@FreshDatabase
class P07RescueTests {

	@Test
	void aPoolThatBeatsWhileItIsBeingRescuedKeepsItsJobs(DatabaseHandle database) throws Exception {
		beatsInTime(database, new Rig(database));
	}

	@Test
	void aRescueThatDoesNotLookAgainWouldBeSeen(DatabaseHandle database) {
		assertThatThrownBy(() -> beatsInTime(database, new Rig(database, KnownBug.RESCUE_WITHOUT_RECHECK)))
			.isInstanceOf(AssertionError.class);
	}

	private static void beatsInTime(DatabaseHandle database, Rig rig) throws Exception {
		long silent = rig.pool();
		long other = rig.pool();
		rig.insert(1);
		rig.claim(silent, 1);
		rig.expire(silent);
		CompletableFuture<List<Long>> rescue;
		try (Connection beat = database.createDataSource().getConnection();
				Statement statement = beat.createStatement()) {
			beat.setAutoCommit(false);
			// The beat has come to the server and is not committed yet: the rescuer finds
			// a dead pool and must wait for its row.
			statement.execute("update gator_worker set beat_at = now() + interval '1 hour' where id = " + silent);
			rescue = CompletableFuture.supplyAsync(() -> rig.rescue(other));
			CompletableFuture<List<Long>> running = rescue;
			await().until(() -> running.isDone() || database.waitingForLocks() > 0);
			beat.commit();
		}
		assertThat(rescue.get(10, TimeUnit.SECONDS)).isEmpty();
		assertThat(rig.ask("select count(*) from gator_job where reserved_by = " + silent, Integer.class)).isOne();
	}

	@Test
	void aRescuedJobIsDueNowItsAttemptCountsAndTheReasonIsRecorded(DatabaseHandle database) {
		Rig rig = new Rig(database);
		long gone = rig.pool();
		rig.insert(1);
		rig.claim(gone, 1);
		rig.expire(gone);
		assertThat(rig.rescue(rig.pool())).hasSize(1);
		assertThat(rig.ask("""
				select count(*) from gator_job
				 where next_execution_at <= now() and attempts = 1 and reserved_by is null
				   and error_details like 'The worker that ran this attempt is gone: pool default of process 1 on here'
				""", Integer.class)).isOne();
	}

	@Test
	void aClaimThatComesAfterItsPoolWasForgottenIsFound(DatabaseHandle database) {
		Rig rig = new Rig(database);
		long forgotten = rig.pool();
		rig.stores().workers().retire(forgotten);
		rig.insert(3);
		List<ClaimedJob> claimed = rig.claim(forgotten, 2);
		assertThat(claimed).hasSize(2);
		long living = rig.pool();
		assertThat(rig.claim(living, 1)).hasSize(1);
		assertThat(rig.stores().workers().rescueOrphans())
			.containsExactlyInAnyOrderElementsOf(claimed.stream().map(ClaimedJob::id).toList());
		assertThat(rig.ask("select count(*) from gator_job where reserved_by = " + living, Integer.class)).isOne();
	}

	@Test
	void aPoolIsDeadAfterThreeBeatsIfItsLockIsFreeAndAfterItsLeaseIfItIsNot(DatabaseHandle database)
			throws SQLException {
		Rig rig = new Rig(database);
		long silent = rig.pool(Duration.ofMillis(100), Duration.ofHours(1));
		long other = rig.pool();
		rig.insert(1);
		rig.claim(silent, 1);
		try (var session = rig.stores().notifications().open()) {
			assertThat(session.lock(silent)).isTrue();
			rig.jdbc()
				.sql("update gator_worker set beat_at = now() - interval '1 second' where id = ?")
				.param(silent)
				.update();
			assertThat(rig.rescue(other)).isEmpty();
		}
		catch (io.gator.store.Notifications.PooledException ex) {
			throw new IllegalStateException(ex);
		}
		// Whoever was cut off itself does not believe a free lock: after a failover the
		// others have none before they have come back.
		assertThat(rig.stores().workers().rescue(List.of(other), false)).isEmpty();
		assertThat(rig.rescue(other)).hasSize(1);
	}

	@Test
	void afterTheClockWasPutBackTheLockDecidesAsWell(DatabaseHandle database) throws Exception {
		Rig rig = new Rig(database);
		long silent = rig.pool(Duration.ofMillis(100), Duration.ofHours(1));
		long other = rig.pool(Duration.ofMillis(100), Duration.ofHours(1));
		awaitAnOldServer(rig);
		rig.insert(1);
		rig.claim(silent, 1);
		try (var session = rig.stores().notifications().open()) {
			assertThat(session.lock(silent)).isTrue();
			rig.jdbc().sql("update gator_worker set beat_at = now() + interval '1 hour'").update();
			assertThat(rig.rescue(other)).isEmpty();
			await().until(() -> rig.stores().workers().beat(other, 10, 0, Set.of(), Set.of()).missing());
			assertThat(rig.rescue(other)).isEmpty();
		}
		assertThat(rig.rescue(other)).hasSize(1);
	}

	@Test
	void aPoolThatBeatsWhileItsBeatIsDatedAnewKeepsTheTimeOfItsOwn(DatabaseHandle database) throws Exception {
		Rig rig = new Rig(database);
		long pool = rig.pool();
		awaitAnOldServer(rig);
		rig.jdbc().sql("update gator_worker set beat_at = now() + interval '1 hour'").update();
		try (Connection beat = database.createDataSource().getConnection();
				Statement statement = beat.createStatement()) {
			beat.setAutoCommit(false);
			statement.execute("update gator_worker set beat_at = now() + interval '1 minute' where id = " + pool);
			assertThat(rig.rescue()).isEmpty();
			beat.commit();
		}
		assertThat(rig.ask("select count(*) from gator_worker where beat_at > now()", Integer.class)).isOne();
	}

	private static void awaitAnOldServer(Rig rig) {
		await().atMost(Duration.ofSeconds(20))
			.until(() -> rig.ask("select pg_postmaster_start_time() < now() - interval '10 seconds'", Boolean.class));
	}

	@Test
	void aLostClaimGoesBackUnchargedAndWhatIsKnownStays(DatabaseHandle database) {
		Rig rig = new Rig(database);
		long pool = rig.pool();
		rig.insert(3);
		List<ClaimedJob> claimed = rig.claim(pool, 3);
		long known = claimed.get(0).id();
		assertThat(rig.stores().jobs().releaseLost(pool, List.of(known), 0).released()).isEqualTo(2);
		assertThat(rig.ask("select count(*) from gator_job where reserved_by is null and attempts = 0 and lease = 2",
				Integer.class))
			.isEqualTo(2);
		assertThat(rig.stores().jobs().statementTimeout()).isLessThanOrEqualTo(Duration.ofSeconds(10));
	}

}
