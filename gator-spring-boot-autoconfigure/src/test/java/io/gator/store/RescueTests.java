package io.gator.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * The contract of {@link WorkerStore} and of {@link JobStore#releaseLost}: who lives, and
 * what becomes of the jobs of those who do not. What happens at the same time is shown by
 * the fault suite.
 */
@FreshDatabase
class RescueTests extends AbstractWorkerStoreTests {

	RescueTests(DatabaseHandle database) {
		super(database);
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
	void nobodyIsRescuedInTheFirstTenSecondsOfAServer() {
		long dead = this.tables.pool();
		ClaimedJob job = this.tables.claimed(dead);
		long living = this.tables.pool();
		sinceTheStartOfTheServer(Duration.ofSeconds(2));
		this.tables.beatAt(dead, "pg_postmaster_start_time() - interval '3 hours'");
		this.tables.beatAt(living, "test_now() + interval '2 hours'");
		List<Map<String, Object>> before = this.tables.jdbc()
			.sql("select id, beat_at from gator_worker")
			.query()
			.listOfRows();
		assertThat(this.workers.rescue(List.of(), true)).as("who has not come back yet may live").isEmpty();
		assertThat(this.tables.jdbc().sql("select id, beat_at from gator_worker").query().listOfRows())
			.as("dated anew, it would pass for heard since the start")
			.containsExactlyInAnyOrderElementsOf(before);
		sinceTheStartOfTheServer(Duration.ofSeconds(12));
		this.tables.beatAt(dead, "pg_postmaster_start_time() - interval '3 hours'");
		assertThat(this.workers.rescue(List.of(), true)).containsExactly(job.id());
		assertThat(this.tables.table().count("gator_worker where beat_at <= test_now()")).isOne();
	}

	private void sinceTheStartOfTheServer(Duration time) {
		double ahead = this.tables.secondsBetween("pg_postmaster_start_time()", "test_now()", "test_clock");
		this.tables.step(Duration.ofSeconds(Math.round(ahead)).plus(time));
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
		WorkerStore beating = this.tables.at(new AtomicLong(TimeUnit.HOURS.toNanos(1))).workers();
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
