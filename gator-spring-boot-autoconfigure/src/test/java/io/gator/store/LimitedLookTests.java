package io.gator.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import static io.gator.store.StoreTables.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * What a pool asks that cannot look among all jobs, because there are too many dead rows.
 */
@FreshDatabase
class LimitedLookTests {

	private final DatabaseHandle database;

	private final StoreTables tables;

	LimitedLookTests(DatabaseHandle database) {
		this.database = database;
		this.tables = new StoreTables(database);
	}

	@Test
	void theNewestJobIsKnownThoughItIsOver() {
		long id = this.tables.ready("a");
		this.tables.jdbc().sql("delete from gator_job").update();
		JobStore.Newest newest = jobs().newest();
		assertThat(newest.id()).isEqualTo(id);
		assertThat(newest.now()).isCloseTo(jobs().nextDue(List.of(), List.of("a"), 0).askedAt(), within(60.0));
	}

	@Test
	void whereNothingWasDispatchedYetThereIsNoNewestJob() {
		this.tables.jdbc().sql("truncate gator_job restart identity").update();
		assertThat(jobs().newest().id()).isZero();
	}

	@Test
	void whoHasNoRightToTheSequenceIsNotToldOfTheNewestJobAndDoesNotFail() {
		this.tables.ready("a");
		String role = "without_sequence_of_" + this.database.name();
		this.tables.jdbc().sql("create role " + role + " login password 'without'").update();
		PGSimpleDataSource sessions = this.database.createDataSource();
		sessions.setUser(role);
		sessions.setPassword("without");
		JobStore.Newest newest = GatorStores.open(sessions, "public", Duration.ofSeconds(30), true).jobs().newest();
		this.tables.jdbc().sql("drop role " + role).update();
		assertThat(newest.id()).isZero();
		assertThat(newest.now()).isPositive();
	}

	@Test
	void theEndOfAQueueIsLookedForBehindAnId() {
		long first = this.tables.ready("a");
		long last = this.tables.ready("b");
		assertThat(jobs().ends(List.of("a", "b"), first - 1).lastIds()).isEqualTo(Map.of("a", first, "b", last));
		assertThat(jobs().ends(List.of("a", "b"), first).lastIds()).isEqualTo(Map.of("b", last));
	}

	@Test
	void itemsOfABatchAreLookedForAmongThoseThatWereDueNoEarlier() {
		double now = jobs().newest().now();
		long earlier = this.tables.due("a", -100);
		long later = this.tables.due("a", -10);
		assertThat(claimBatch(now - 50)).containsExactly(later);
		assertThat(claimBatch(Double.NEGATIVE_INFINITY)).containsExactly(earlier);
	}

	private List<Long> claimBatch(double dueAfter) {
		BatchRequest.Buffered job = new BatchRequest.Buffered(Set.of(StoreTables.JOB), 1, 1, Duration.ZERO, 1, false,
				List.of(0L));
		List<List<ClaimedJob>> batches = jobs()
			.claimBatches(new BatchRequest(this.tables.pool(), List.of("a"), dueAfter, List.of(job), 1));
		return batches.stream().flatMap((batch) -> ids(batch).stream()).toList();
	}

	private JobStore jobs() {
		return this.tables.stores().jobs();
	}

}
