package io.gator.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of {@link AdminStore}: what people's requests leave behind in the rows.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class AdminStoreTests {

	private final StoreTables tables;

	private final AdminStore admin;

	AdminStoreTests(DatabaseHandle database) {
		this.tables = new StoreTables(database);
		this.admin = this.tables.stores().admin();
	}

	@BeforeEach
	void clear() {
		this.tables.clear();
	}

	@Test
	void theCancellationOfARunningJobIsToldToItsPoolAndStaysWithTheJobShouldThatDie() {
		long pool = this.tables.pool();
		ClaimedJob job = this.tables.claimed(pool);
		assertThat(this.admin.cancel(job.id())).isEqualTo(AdminStore.Cancellation.ASKED);
		assertThat(this.tables.stores().workers().beat(pool, 10, 1, List.of(), List.of()).cancelled())
			.containsExactly(job.id());
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(this.tables.stores().workers().rescue(List.of(), true)).containsExactly(job.id());
		ClaimedJob again = this.tables.claim(this.tables.pool(), 1, StoreTables.share("default", 1)).get(0);
		assertThat(again.cancelRequested()).isTrue();
	}

	@Test
	void onlyAFailedJobThatNobodyRunsIsRetriedAtOnce() {
		long pool = this.tables.pool();
		long running = this.tables.due("default", -5);
		this.tables.jdbc().sql("update gator_job set error_details = 'failed before'").update();
		assertThat(this.tables.claim(pool, 1, StoreTables.share("default", 1))).hasSize(1);
		long scheduled = this.tables.due("default", 3600);
		long waiting = this.tables.ready("default");
		List<String> before = this.tables.everything();
		for (long id : List.of(running, scheduled, waiting)) {
			assertThat(this.admin.retry(id)).isEmpty();
		}
		assertThat(this.tables.everything()).isEqualTo(before);
		this.tables.jdbc().sql("update gator_job set error_details = 'failed' where id = ?").param(scheduled).update();
		assertThat(this.admin.retry(scheduled)).contains("default");
		assertThat(this.tables.secondsBetween("next_execution_at", "test_now()", "gator_job where id = " + scheduled))
			.isLessThanOrEqualTo(0);
	}

	@Test
	void onlyAJobThatNobodyHasClaimedIsRescheduledAndNothingButItsTimeChanges() {
		long pool = this.tables.pool();
		long claimed = this.tables.due("default", -5);
		assertThat(this.tables.claim(pool, 1, StoreTables.share("default", 1))).hasSize(1);
		List<String> before = this.tables.everything();
		Instant time = Instant.parse("2030-01-31T09:00:00Z");
		assertThat(this.admin.reschedule(claimed, time)).isEmpty();
		assertThat(this.admin.reschedule(987_654_321, time)).isEmpty();
		assertThat(this.tables.everything()).isEqualTo(before);
		this.tables.jdbc().sql("delete from gator_job").update();

		long failed = this.tables.due("default", 3600);
		this.tables.jdbc()
			.sql("update gator_job set attempts = 2, error_details = 'failed', unique_key = 'key'")
			.update();
		Map<String, Object> old = this.tables.only("gator_job");
		assertThat(this.admin.reschedule(failed, time)).contains("default");
		assertThat(this.admin.find(failed).orElseThrow().dueAt()).isEqualTo(time);
		Map<String, Object> changed = this.tables.only("gator_job");
		changed.put("next_execution_at", old.get("next_execution_at"));
		assertThat(changed).isEqualTo(old);
	}

	@Test
	void aJobThatIsRescheduledToTheTimeThatIsPastIsDueNowAndGoesBeforeThoseDispatchedForNow() {
		this.tables.ready("default");
		long waiting = this.tables.ready("default");
		long scheduled = this.tables.due("default", 3600);
		for (long id : List.of(scheduled, waiting)) {
			this.tables.advance(Duration.ofSeconds(1));
			assertThat(this.admin.reschedule(id, Instant.EPOCH)).contains("default");
			assertThat(this.tables.secondsBetween("next_execution_at", "test_now()", "gator_job where id = " + id))
				.isBetween(-0.9, 0.0);
		}
		assertThat(this.tables.claim(this.tables.pool(), 2, StoreTables.share("default", 2))).extracting(ClaimedJob::id)
			.containsExactlyInAnyOrder(scheduled, waiting);
	}

	@Test
	void aDeadJobComesBackWithAllThatItHadAndNoResultOfItsFormerLifeFitsIt() {
		this.tables.jdbc()
			.sql("""
					insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, error_details, unique_key,
					                            batch_key, metadata)
					values (1, 'default', 'Work', '[1]', 3, 7, now(), 'failed', 'key', 'its batch', '{"m": 1}')
					""")
			.update();
		assertThat(this.admin.retry(1)).contains("default");
		assertThat(this.tables.table().count("gator_dead_job")).isZero();
		assertThat(this.tables.only("gator_job")).containsEntry("attempts", 0)
			.containsEntry("lease", 8L)
			.containsEntry("error_details", "failed")
			.containsEntry("unique_key", "key")
			.containsEntry("batch_key", "its batch")
			.hasEntrySatisfying("args", (json) -> assertThat(json).hasToString("[1]"))
			.hasEntrySatisfying("metadata", (json) -> assertThat(json).hasToString("{\"m\": 1}"));
	}

	@Test
	void aQueueThatIsPausedAgainIsPausedSinceTheFirstTime() {
		this.admin.pause("default");
		String since = "select paused_at from gator_queue where name = 'default'";
		Object first = this.tables.jdbc().sql(since).query().singleValue();
		this.tables.advance(Duration.ofMinutes(1));
		this.admin.pause("default");
		assertThat(this.tables.jdbc().sql(since).query().singleValue()).isEqualTo(first);
	}

	@Test
	void aPoolWhoseLeaseIsOverIsNotAmongThoseThatLive() {
		this.tables.pool();
		assertThat(this.admin.workers()).hasSize(1);
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(this.admin.workers()).isEmpty();
	}

}
