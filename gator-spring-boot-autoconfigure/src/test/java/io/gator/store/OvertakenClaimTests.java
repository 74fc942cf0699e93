package io.gator.store;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.gator.store.StoreTables.share;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What is claimed by another pool after a claim has begun, and so is free in all that the
 * claim sees.
 */
@FreshDatabase
class OvertakenClaimTests {

	private static final long OTHER = 2;

	private final DatabaseHandle database;

	private final StoreTables tables;

	private final JobStore jobs;

	OvertakenClaimTests(DatabaseHandle database) {
		this.database = database;
		this.tables = new StoreTables(database);
		// The clock lets a statement wait in its midst, when it has its snapshot. To plan
		// a statement the clock may be asked as well, so it must be planned before.
		this.tables.jdbc().sql("""
				create or replace function test_now() returns timestamptz stable language plpgsql as $$ begin
				    perform pg_advisory_lock_shared(4711);
				    perform pg_advisory_unlock_shared(4711);
				    return statement_timestamp();
				end $$;
				do 'begin execute format(''alter database %I set plan_cache_mode = force_generic_plan'',
				                         current_database()); end'
				""").update();
		this.jobs = GatorStores
			.open(database.hikari(1), "public", Duration.ofSeconds(30), true, "test_now()", System::nanoTime)
			.jobs();
	}

	static Stream<ToIntFunction<JobStore>> claims() {
		Set<String> names = Set.of(StoreTables.JOB);
		ClaimRequest singles = new ClaimRequest(1, names, List.of(share("a", 10)), 10);
		BatchRequest batches = new BatchRequest(1, List.of("a"), 0,
				List.of(new BatchRequest.Buffered(names, 2, 1, Duration.ofHours(1), 10, false, List.of(0L))), 1);
		return Stream.of((store) -> store.claim(singles).size(), (store) -> store.claimBatches(batches).size());
	}

	@ParameterizedTest
	@MethodSource("claims")
	void theyAreLeftToIt(ToIntFunction<JobStore> claim) throws Exception {
		for (int planned = 0; planned < 10; planned++) {
			assertThat(claim.applyAsInt(this.jobs)).isZero();
		}
		List<Long> ids = List.of(this.tables.ready("a"), this.tables.due("a", -1));
		try (Connection connection = this.database.createDataSource().getConnection();
				Statement other = connection.createStatement()) {
			other.execute("select pg_advisory_lock(4711)");
			CompletableFuture<Integer> claimed = CompletableFuture.supplyAsync(() -> claim.applyAsInt(this.jobs));
			await().until(() -> this.database.waitingForLocks() > 0);
			other.execute("update gator_job set reserved_by = " + OTHER);
			this.tables.ready("a");
			this.tables.ready("a");
			other.execute("select pg_advisory_unlock(4711)");
			assertThat(claimed.get(30, TimeUnit.SECONDS)).as("two are free by now, which the claim does not see")
				.isZero();
		}
		assertThat(claim.applyAsInt(this.jobs)).isPositive();
		assertThat(this.tables.reservedBy(OTHER)).containsExactlyElementsOf(ids);
	}

}
