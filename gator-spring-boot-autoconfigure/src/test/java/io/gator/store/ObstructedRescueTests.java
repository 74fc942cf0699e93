package io.gator.store;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Jobs that a rescue cannot free, or not at once, and what becomes of the others.
 */
@FreshDatabase
class ObstructedRescueTests extends AbstractWorkerStoreTests {

	ObstructedRescueTests(DatabaseHandle database) {
		super(database);
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
		WorkerStore rescuing = this.tables.at(nanos).workers();
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

	/** Jobs that were tried one by one would wait for each other's time-outs. */
	@Test
	void jobsAreNotTriedOneByOneWhereTheReasonIsNoneOfTheirs() {
		long silent = this.tables.pool();
		this.tables.claimed(silent);
		this.tables.claimed(silent);
		this.tables.advance(Duration.ofHours(2));
		this.tables.jdbc().sql("""
				create function no_room() returns trigger language plpgsql as
				    $$ begin raise 'no room' using errcode = 'disk_full'; end $$;
				create trigger no_room before update on gator_job for each row execute function no_room();
				""").update();
		try {
			assertThatThrownBy(() -> this.workers.rescue(List.of(), true)).isInstanceOf(StoreException.class)
				.hasMessageContaining("Cannot rescue jobs: ERROR: no room");
		}
		finally {
			this.tables.jdbc().sql("drop function no_room cascade").update();
		}
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
		WorkerStore rescuing = this.tables.at(nanos).workers();
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
			this.tables.beatAt(next, "'-infinity'");
			assertThat(rescuing.rescue(List.of(), true)).containsExactly(free.id());
			assertThat(rescuing.rescue(List.of(), true)).isEmpty();
			other.rollback();
		}
		assertThat(rescuing.rescue(List.of(), true)).as("it does not look").isEmpty();
		nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		assertThat(rescuing.rescue(List.of(), true)).containsExactly(locked.id());
		assertThat(this.tables.table().count("gator_worker")).isZero();
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

}
