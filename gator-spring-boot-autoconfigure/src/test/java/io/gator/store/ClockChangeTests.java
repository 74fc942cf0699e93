package io.gator.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases are over when their time is, whatever is done to the clock of the server.
 */
@FreshDatabase
class ClockChangeTests extends AbstractWorkerStoreTests {

	ClockChangeTests(DatabaseHandle database) {
		super(database);
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
		this.tables.beatAt(strange, "'infinity'");
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

}
