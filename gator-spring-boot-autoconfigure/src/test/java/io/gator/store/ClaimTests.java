package io.gator.store;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.gator.test.DatabaseHandle;
import org.junit.jupiter.api.Test;

import org.springframework.dao.DataIntegrityViolationException;

import static io.gator.store.StoreTables.ids;
import static io.gator.store.StoreTables.share;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

/**
 * The contract of {@link JobStore#claim}: what is claimed, how much of it, and in which
 * order.
 */
class ClaimTests extends AbstractClaimTests {

	ClaimTests(DatabaseHandle database) {
		super(database);
	}

	@Test
	void aClaimTakesNoMoreOfAQueueThanItsQuotaHoweverItsJobsAreMixed() {
		for (int i = 0; i < 5; i++) {
			this.tables.due("a", -10);
			this.tables.ready("a");
			this.tables.ready("b");
		}
		List<ClaimedJob> claimed = this.tables.claim(this.pool, 100, share("a", 3), share("b", 2));
		assertThat(claimed).hasSize(5).filteredOn((job) -> job.queue().equals("a")).hasSize(3);
		assertThat(this.tables.reservedBy(this.pool)).hasSize(5);
		// Two due jobs of the first queue are left, so a quota of four goes half to each
		// kind.
		assertThat(this.tables.claim(this.pool, 100, share("a", 4))).hasSize(4)
			.filteredOn(ClaimedJob::isDelayed)
			.hasSize(2);
	}

	@Test
	void aClaimTakesNoMoreInAllThanItsTotalAndServesTheQueuesInOrder() {
		for (int i = 0; i < 10; i++) {
			this.tables.ready("a");
			this.tables.ready("b");
			this.tables.due("b", -10);
		}
		List<ClaimedJob> claimed = this.tables.claim(this.pool, 7, share("b", 5), share("a", 5));
		assertThat(claimed).hasSize(7).filteredOn((job) -> job.queue().equals("b")).hasSize(5);
		assertThat(this.tables.reservedBy(this.pool)).containsExactlyInAnyOrderElementsOf(ids(claimed));
	}

	@Test
	void whatAQueueDoesNotUseIsLeftToThoseBehindIt() {
		this.tables.ready("a");
		for (int i = 0; i < 10; i++) {
			this.tables.ready("b");
		}
		assertThat(this.tables.claim(this.pool, 8, share("a", 5), share("b", 8))).hasSize(8)
			.filteredOn((job) -> job.queue().equals("b"))
			.hasSize(7);
	}

	@Test
	void withinAQueueDueJobsGoByTheirTimeAndThenReadyOnesByTheirId() {
		long firstReady = this.tables.ready("a");
		long late = this.tables.due("a", -1);
		long early = this.tables.due("a", -60);
		long secondReady = this.tables.ready("a");
		long middle = this.tables.due("a", -30);
		this.tables.due("a", 3600);
		assertThat(this.tables.claimOneByOne(this.pool, share("a", 1))).containsExactly(early, middle, late, firstReady,
				secondReady);
	}

	@Test
	void dueJobsOfOneTimeGoByTheirId() {
		List<Long> ids = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			ids.add(this.tables.due("a", -60));
		}
		this.tables.jdbc().sql("update gator_job set next_execution_at = now() - interval '1 minute'").update();
		assertThat(this.tables.claimOneByOne(this.pool, share("a", 1))).isEqualTo(ids);
	}

	@Test
	void aDueJobDoesNotGoBeforeAReadyOneOfAQueueThatIsServedFirst() {
		long due = this.tables.due("second", -3600);
		long ready = this.tables.ready("first");
		assertThat(this.tables.claimOneByOne(this.pool, share("first", 1), share("second", 1))).containsExactly(ready,
				due);
	}

	@Test
	void aJobIsNotClaimedBeforeItsTime() {
		long id = this.tables.due("a", 3600);
		this.tables.advance(Duration.ofSeconds(3500));
		assertThat(this.tables.claim(this.pool, 1, share("a", 1))).isEmpty();
		this.tables.advance(Duration.ofSeconds(100));
		assertThat(ids(this.tables.claim(this.pool, 1, share("a", 1)))).containsExactly(id);
	}

	@Test
	void noJobIsClaimedTheSmallestMomentBeforeItsTime() {
		this.tables.stopClock();
		long early = this.tables.due("a", 0.000001);
		assertThat(this.tables.claim(this.pool, 1, share("a", 1))).isEmpty();
		this.tables.jdbc().sql("update gator_job set next_execution_at = test_now()").update();
		assertThat(ids(this.tables.claim(this.pool, 1, share("a", 1)))).containsExactly(early);
	}

	@Test
	void aClaimStartsBehindItsMarksAndEachMarkIsForOneKind() {
		long passed = this.tables.ready("a");
		long next = this.tables.ready("a");
		long early = this.tables.due("a", -60);
		long late = this.tables.due("a", -30);
		double between = this.tables.secondsBetween("next_execution_at", "'1970-01-01 00:00:00+00'::timestamptz",
				"gator_job where id = " + early) + 1;
		assertThat(ids(this.tables.claim(this.pool, 10, new ClaimRequest.Share("a", 10, passed, between))))
			.containsExactlyInAnyOrder(next, late);
		assertThat(ids(this.tables.claim(this.pool, 10, share("a", 10)))).containsExactlyInAnyOrder(passed, early);
	}

	@Test
	void theMarkOfDueJobsIsATimeThatStillCounts() {
		long id = this.tables.due("a", -60);
		this.tables.jdbc().sql("update gator_job set next_execution_at = to_timestamp(1000000000)").update();
		assertThat(this.tables.claim(this.pool, 10, new ClaimRequest.Share("a", 10, 0, 1_000_000_000.5))).isEmpty();
		assertThat(ids(this.tables.claim(this.pool, 10, new ClaimRequest.Share("a", 10, 0, 1_000_000_000))))
			.containsExactly(id);
	}

	@Test
	void aNameThatThePoolDoesNotKnowIsNeverClaimedNorInTheWay() {
		this.tables.ready("a", "Other");
		this.tables.due("a", "Other", -60);
		long due = this.tables.due("a", -10);
		long ready = this.tables.ready("a");
		assertThat(this.tables.claimOneByOne(this.pool, share("a", 1))).containsExactly(due, ready);
		assertThat(this.tables.stores().jobs().claim(new ClaimRequest(this.pool, Set.of(), List.of(share("a", 9)), 9)))
			.isEmpty();
		assertThat(this.tables.table().count("gator_job where name = 'Other' and reserved_by is null and attempts = 0"))
			.isEqualTo(2);
	}

	@Test
	void amongManyNamesOneThatThePoolDoesNotKnowIsNotClaimedEither() {
		this.tables.ready("a", "Other");
		this.tables.due("a", "Other", -60);
		long due = this.tables.due("a", -10);
		long ready = this.tables.ready("a");
		Set<String> names = StoreTables.names(100);
		ClaimRequest nothing = new ClaimRequest(this.pool, Set.copyOf(names), List.of(share("a", 100)), 100);
		assertThat(this.tables.stores().jobs().claim(nothing)).isEmpty();
		names.add(StoreTables.JOB);
		ClaimRequest both = new ClaimRequest(this.pool, names, List.of(share("a", 100)), 100);
		assertThat(ids(this.tables.stores().jobs().claim(both))).containsExactly(due, ready);
	}

	/** Ready jobs are found by a range, whose ends must not let neighbours in. */
	@Test
	void onlyTheQueuesOfTheRequestAreClaimed() {
		for (String queue : List.of("A", "a", "a-b", "a.b", "aa", "ab", "b", "Z", "z")) {
			this.tables.ready(queue);
			this.tables.due(queue, -10);
		}
		assertThat(this.tables.claim(this.pool, 100, share("a", 100), share("ab", 100))).hasSize(4)
			.allMatch((job) -> Set.of("a", "ab").contains(job.queue()));
		// A mark says nothing about the queues behind.
		assertThat(this.tables.claim(this.pool, 100, new ClaimRequest.Share("aa", 100, Long.MAX_VALUE, 0))).hasSize(1);
	}

	@Test
	void aRowAtTheLimitsOfItsColumnsStopsNoClaim() {
		long extreme = this.tables.ready("a");
		this.tables.jdbc()
			.sql("update gator_job set attempts = 1000000000, lease = 4000000000000000000 where id = ?")
			.param(extreme)
			.update();
		long ordinary = this.tables.ready("a");
		assertThat(ids(this.tables.claim(this.pool, 10, share("a", 10)))).containsExactlyInAnyOrder(extreme, ordinary);
	}

	@Test
	void aRowThatNoClaimWouldFindIsRefused() {
		assertThatExceptionOfType(DataIntegrityViolationException.class).isThrownBy(() -> this.tables.jdbc()
			.sql("insert into gator_job (id, queue, name, args) values (0, 'a', 'Job', '[]')")
			.update());
	}

	@Test
	void aRequestWithoutAQueueClaimsNothing() {
		this.tables.ready("a");
		assertThat(this.tables.claim(this.pool, 10)).isEmpty();
	}

	@Test
	void aBeatSaysWhichQueuesArePausedSoThatTheyStayOutOfTheRequest() {
		this.tables.ready("a");
		this.tables.ready("b");
		this.tables.jdbc().sql("update gator_queue set paused_at = now() where name = 'b'").update();
		assertThat(this.tables.stores().workers().beat(this.pool, 10, 0, Set.of(), Set.of()).queues())
			.containsEntry("a", false)
			.containsEntry("b", true)
			.hasSize(2);
	}

	@Test
	void aClaimedJobIsNotClaimedAgainAndOneThatSomebodyLooksAtIsSkipped() throws Exception {
		long taken = this.tables.ready("a");
		assertThat(ids(this.tables.claim(this.pool, 1, share("a", 1)))).containsExactly(taken);
		long locked = this.tables.ready("a");
		long lockedDue = this.tables.due("a", -60);
		long free = this.tables.ready("a");
		long freeDue = this.tables.due("a", -30);
		try (Connection connection = this.database.createDataSource().getConnection();
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.execute("select 1 from gator_job where id in (" + locked + ", " + lockedDue + ") for update");
			assertThat(ids(this.tables.claim(this.tables.pool(), 10, share("a", 10)))).containsExactlyInAnyOrder(free,
					freeDue);
			connection.rollback();
		}
		assertThat(ids(this.tables.claim(this.pool, 10, share("a", 10)))).containsExactlyInAnyOrder(locked, lockedDue);
	}

	@Test
	void aClaimChargesTheAttemptTakesAFreshLeaseAndTellsWhatIsInTheRow() {
		this.tables.jdbc()
			.sql("""
					insert into gator_job (queue, name, args, attempts, lease, next_execution_at, created_at, error_details,
					                       cancel_requested, metadata)
					values ('a', 'Work', '[1, "two"]', 3, 7, to_timestamp(1500000000.25), to_timestamp(1400000000.5), 'failed',
					        true, '{"x": 1}')
					""")
			.update();
		ClaimedJob job = this.tables.claim(this.pool, 1, share("a", 1)).get(0);
		double now = this.tables.secondsBetween("test_now()", "'1970-01-01 00:00:00+00'::timestamptz", "gator_job");
		assertThat(job).isEqualTo(new ClaimedJob(job.id(), "a", "Work", "[1, \"two\"]", 4, 8, 1_400_000_000.5,
				1_500_000_000.25, job.claimedAt(), true, true, "{\"x\": 1}"));
		assertThat(job.claimedAt()).isCloseTo(now, within(60.0));
		assertThat(this.tables.only("gator_job")).containsEntry("attempts", 4)
			.containsEntry("lease", 8L)
			.containsEntry("reserved_by", this.pool);
		assertThat(this.tables.secondsBetween("to_timestamp(" + job.claimedAt() + ")", "reserved_at", "gator_job"))
			.isCloseTo(0, within(0.001));
	}

	@Test
	void aClaimFreesTheKeyOfAJobThatIsUniqueUntilItStartsAndOfNoOther() {
		this.tables.jdbc().sql("""
				insert into gator_job (queue, name, args, unique_key, unique_until_started)
				values ('a', 'Work', '[]', 'until started', true), ('a', 'Work', '[]', 'until over', false)
				""").update();
		assertThat(this.tables.claim(this.pool, 2, share("a", 2))).hasSize(2);
		assertThat(this.tables.jdbc()
			.sql("select unique_key from gator_job where unique_key is not null")
			.query(String.class)
			.list()).containsExactly("until over");
	}

}
