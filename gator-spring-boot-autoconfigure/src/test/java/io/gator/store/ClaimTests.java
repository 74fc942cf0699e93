package io.gator.store;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataIntegrityViolationException;

import static io.gator.store.StoreTables.ids;
import static io.gator.store.StoreTables.share;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.api.Assertions.within;

/**
 * The contract of {@link JobStore#claim} and {@link JobStore#nextDue}: what is claimed,
 * how much of it, and in which order.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class ClaimTests {

	private static final List<String> QUEUE_A = List.of("a");

	private static final double ALL_DUE = Double.NEGATIVE_INFINITY;

	private final DatabaseHandle database;

	private final StoreTables tables;

	private long pool;

	ClaimTests(DatabaseHandle database) {
		this.database = database;
		this.tables = new StoreTables(database);
	}

	@BeforeEach
	void clear() {
		this.tables.clear();
		this.pool = this.tables.pool();
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
		assertThat(claimBatch(1, 1)).isEmpty();
		assertThat(isAnyWaiting(share("a", 1))).isFalse();
		this.tables.jdbc().sql("update gator_job set next_execution_at = test_now()").update();
		assertThat(isAnyWaiting(share("a", 1))).isTrue();
		assertThat(ids(this.tables.claim(this.pool, 1, share("a", 1)))).containsExactly(early);
		long other = this.tables.due("a", 0);
		assertThat(claimBatch(1, 1)).containsExactly(other);
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
	void aBatchIsMadeOfTheOldestItemsOfTheWindowThatNobodyElseTakes() throws Exception {
		List<Long> items = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			items.add(this.tables.ready("a"));
		}
		try (Connection connection = this.database.createDataSource().getConnection();
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement
				.execute("select 1 from gator_job where id in (" + items.get(0) + ", " + items.get(2) + ") for update");
			assertThat(claimBatch(2, 2)).as("what is left of two is no batch").isEmpty();
			WaitingBatches waiting = this.tables.stores()
				.jobs()
				.lookForBatches(new BatchRequest(this.pool, QUEUE_A, ALL_DUE,
						List.of(buffered("Other", 2, 2), buffered(StoreTables.JOB, 2, 2),
								buffered(StoreTables.JOB, 7, 6), buffered(StoreTables.JOB, 7, 7)),
						0));
			assertThat(waiting.ready()).as("the place of the job that others take").containsExactly(1);
			assertThat(waiting.more()).as("where it was not looked at all").containsExactlyInAnyOrder(1, 2);
			assertThat(claimBatch(2, 4)).containsExactlyInAnyOrder(items.get(1), items.get(3));
			connection.rollback();
		}
		assertThat(claimBatch(2, 2)).containsExactlyInAnyOrder(items.get(0), items.get(2));
		assertThat(claimBatch(2, 2)).containsExactlyInAnyOrder(items.get(4), items.get(5));
		assertThat(claimBatch(2, 2)).isEmpty();
	}

	@Test
	void anItemThatHasBeenDueForLongerThanOthersHaveWaitedGoesBeforeThem() {
		long first = this.tables.ready("a");
		long second = this.tables.ready("a");
		long due = this.tables.due("a", -10);
		assertThat(claimBatch(2, 3)).containsExactlyInAnyOrder(due, first);
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(claimBatch(2, 3)).containsExactly(second);
	}

	@Test
	void itemsOfALimitAreABatchOfTheirOwnHoweverManyOlderOnesHaveNone() {
		this.tables.ready("a");
		this.tables.ready("a");
		List<Long> limited = List.of(this.tables.ready("a"), this.tables.ready("a"));
		this.tables.jdbc()
			.sql("update gator_job set batch_limit = 2 where id in (:ids)")
			.param("ids", limited)
			.update();
		assertThat(claimBatch(4, 4)).containsExactlyInAnyOrderElementsOf(limited);
		assertThat(claimBatch(4, 4)).as("two of four").isEmpty();
	}

	@Test
	void ofTheBatchesThatAreReadyThatOfTheOldestItemIsFirst() {
		List<Long> items = new ArrayList<>();
		for (String key : List.of("d", "b", "e", "a", "d")) {
			long item = this.tables.ready("a");
			this.tables.jdbc().sql("update gator_job set batch_key = ? where id = ?").params(key, item).update();
			items.add(item);
		}
		List<Long> claimed = new ArrayList<>();
		for (List<Long> batch = claimBatch(1, 5); !batch.isEmpty(); batch = claimBatch(1, 5)) {
			claimed.addAll(batch);
		}
		assertThat(claimed).isEqualTo(items);
	}

	@Test
	void anOlderItemWhoseBatchIsNotReadyKeepsNoFullOneWaiting() {
		long alone = this.tables.ready("a");
		this.tables.jdbc().sql("update gator_job set batch_key = 'alone' where id = ?").param(alone).update();
		List<Long> full = List.of(this.tables.ready("a"), this.tables.ready("a"));
		assertThat(claimBatch(2, 3)).containsExactlyInAnyOrderElementsOf(full);
	}

	@Test
	void whatIsLeftOfABatchIsNotFilledByTheItemsOfAnotherJob() throws Exception {
		long free = this.tables.ready("a");
		long locked = this.tables.ready("a");
		List<Long> others = List.of(this.tables.ready("a", "Other"), this.tables.ready("a", "Other"));
		BatchRequest request = new BatchRequest(this.pool, QUEUE_A, ALL_DUE,
				List.of(buffered(StoreTables.JOB, 2, 2), buffered("Other", 2, 2)), 2);
		try (Connection connection = this.database.createDataSource().getConnection();
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.execute("select 1 from gator_job where id = " + locked + " for update");
			assertThat(claimBatches(request)).containsExactlyInAnyOrderElementsOf(others);
			connection.rollback();
		}
		assertThat(claimBatch(2, 2)).containsExactlyInAnyOrder(free, locked);
	}

	@Test
	void aBatchThatHasWaitedLongEnoughIsReadyThoughItIsNotFullAndOthersAreTakingIt() throws Exception {
		long item = this.tables.ready("a");
		assertThat(claimBatch(2, 2)).isEmpty();
		BatchRequest request = new BatchRequest(this.pool, QUEUE_A, ALL_DUE, List.of(buffered(StoreTables.JOB, 2, 2)),
				1);
		assertThat(this.tables.stores().jobs().lookForBatches(request).ready()).isEmpty();
		this.tables.advance(Duration.ofMinutes(61));
		try (Connection connection = this.database.createDataSource().getConnection();
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.execute("select 1 from gator_job for update");
			assertThat(claimBatch(2, 2)).isEmpty();
			assertThat(this.tables.stores().jobs().lookForBatches(request).ready()).containsExactly(0);
			connection.rollback();
		}
		assertThat(claimBatch(2, 2)).containsExactly(item);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1 })
	void aLimitByHandThatLeavesNoItemIsOneOfOne(int limit) {
		long first = this.tables.ready("a");
		long second = this.tables.ready("a");
		this.tables.jdbc().sql("update gator_job set batch_limit = ?").param(limit).update();
		assertThat(claimBatch(2, 2)).containsExactly(first);
		assertThat(claimBatch(2, 2)).containsExactly(second);
	}

	@Test
	void keysThatItemsStillHaveKeepThemNoLongerApart() {
		long one = this.tables.ready("a");
		long other = this.tables.ready("a");
		this.tables.jdbc().sql("update gator_job set batch_key = id").update();
		assertThat(claimBatch(buffered(StoreTables.JOB, 2, 2, true))).isEmpty();
		assertThat(claimBatch(buffered(StoreTables.JOB, 2, 2, false))).containsExactlyInAnyOrder(one, other);
	}

	@Test
	void aClaimTakesSeveralBatchesOfAJobThoseOfTheOldestItemsFirst() {
		List<Long> first = readyWithKey("b", 3);
		List<Long> second = readyWithKey("a", 5);
		List<Long> third = readyWithKey("c", 2);
		BatchRequest request = request(2, 4, true);
		assertThat(batches(request)).as("full ones")
			.containsExactly(first.subList(0, 2), second.subList(0, 2), second.subList(2, 4), third);
		assertThat(batches(request)).as("none of one item").isEmpty();
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(batches(request)).as("which have waited").containsExactly(first.subList(2, 3), second.subList(4, 5));
	}

	@Test
	void ofMoreBatchesThanMayBeClaimedTheNewestAreLeft() {
		List<Long> oldest = readyWithKey("b", 1);
		List<Long> all = readyWithKey("a", 6);
		readyWithKey("c", 2);
		assertThat(batches(request(2, 2, true))).containsExactly(all.subList(0, 2), all.subList(2, 4));
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(batches(request(2, 2, true))).containsExactly(oldest, all.subList(4, 6));
	}

	@Test
	void severalBatchesAreMadeOfWhatOthersDoNotTake() throws Exception {
		List<Long> items = readyWithKey(null, 6);
		try (Connection connection = this.database.createDataSource().getConnection();
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.execute("select 1 from gator_job where id = " + items.get(1) + " for update");
			assertThat(batches(request(2, 3, false))).containsExactly(List.of(items.get(0), items.get(2)),
					List.of(items.get(3), items.get(4)));
			connection.rollback();
		}
		assertThat(batches(request(2, 3, false))).containsExactly(List.of(items.get(1), items.get(5)));
	}

	@Test
	void itemsOfSeveralLimitsAreClaimedAtOnceAndKeptApart() {
		List<Long> items = readyWithKey(null, 7);
		this.tables.jdbc().sql("update gator_job set batch_limit = 1 where id = ?").param(items.get(2)).update();
		this.tables.jdbc()
			.sql("update gator_job set batch_limit = 2 where id in (?, ?)")
			.params(items.get(0), items.get(5))
			.update();
		assertThat(batches(request(4, 4, true))).containsExactly(List.of(items.get(0), items.get(5)),
				List.of(items.get(1), items.get(3), items.get(4), items.get(6)), List.of(items.get(2)));
	}

	private List<Long> readyWithKey(@Nullable String key, int items) {
		List<Long> ids = new ArrayList<>();
		for (int item = 0; item < items; item++) {
			long id = this.tables.ready("a");
			this.tables.jdbc().sql("update gator_job set batch_key = ? where id = ?").params(key, id).update();
			ids.add(id);
		}
		return ids;
	}

	private BatchRequest request(int size, int batches, boolean keyed) {
		BatchRequest.Buffered job = new BatchRequest.Buffered(Set.of(StoreTables.JOB), size, batches,
				Duration.ofHours(1), 100, keyed, List.of(0L));
		return new BatchRequest(this.pool, QUEUE_A, ALL_DUE, List.of(job), batches);
	}

	private List<List<Long>> batches(BatchRequest request) {
		return this.tables.stores().jobs().claimBatches(request).stream().map(StoreTables::ids).toList();
	}

	/**
	 * Few enough that each job looks into each queue, and so many that only those with
	 * items are looked into.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 3, 100 })
	void aBatchIsFoundInWhicheverQueuesItsItemsAre(int queues) {
		List<String> names = IntStream.range(0, queues).mapToObj((n) -> "q" + n).toList();
		String last = names.get(queues - 1);
		this.tables.ready("q0");
		List<Long> items = List.of(this.tables.ready("q0"), this.tables.due("q1", -1), this.tables.ready(last));
		long before = this.tables.ready(last, "Other");
		List<Long> others = List.of(this.tables.ready(last, "Other"), this.tables.ready("q1", "Other"));
		this.tables.due(last, 10);
		this.tables.ready("elsewhere");
		List<Long> after = new ArrayList<>(Collections.nCopies(queues, 0L));
		after.set(0, items.get(0) - 1);
		List<Long> otherAfter = new ArrayList<>(Collections.nCopies(queues, 0L));
		otherAfter.set(queues - 1, before);
		BatchRequest request = new BatchRequest(this.pool, names, ALL_DUE,
				List.of(buffered(StoreTables.JOB, 3, 3, true, after), buffered("Other", 2, 2, true, otherAfter)), 2);
		assertThat(this.tables.stores().jobs().lookForBatches(request).ready()).containsExactlyInAnyOrder(0, 1);
		assertThat(claimBatches(request))
			.containsExactlyInAnyOrderElementsOf(Stream.concat(items.stream(), others.stream()).toList());
	}

	@Test
	void whichQueuesHoldItemsIsLookedUpWhereThereAreManyToLookInto() {
		ClaimSql claims = new ClaimSql(new Sql("public", Sql.CLOCK));
		BatchRequest.Buffered job = buffered(StoreTables.JOB, 1, 1);
		List<String> queues = Collections.nCopies(17, "a");
		assertThat(claims.looksFirst(new BatchRequest(1, queues, ALL_DUE, List.of(job, job, job), 1))).isTrue();
		assertThat(claims.looksFirst(new BatchRequest(1, queues, ALL_DUE, List.of(job, job), 1))).isFalse();
	}

	private List<Long> claimBatch(int size, int window) {
		return claimBatch(buffered(StoreTables.JOB, size, window));
	}

	private List<Long> claimBatch(BatchRequest.Buffered job) {
		return claimBatches(new BatchRequest(this.pool, QUEUE_A, ALL_DUE, List.of(job), 1));
	}

	private List<Long> claimBatches(BatchRequest request) {
		return this.tables.stores()
			.jobs()
			.claimBatches(request)
			.stream()
			.flatMap((batch) -> ids(batch).stream())
			.toList();
	}

	private static BatchRequest.Buffered buffered(String name, int size, int window) {
		return buffered(name, size, window, true);
	}

	private static BatchRequest.Buffered buffered(String name, int size, int window, boolean keyed) {
		return buffered(name, size, window, keyed, List.of(0L));
	}

	private static BatchRequest.Buffered buffered(String name, int size, int window, boolean keyed, List<Long> after) {
		return new BatchRequest.Buffered(Set.of(name), size, 1, Duration.ofHours(1), window, keyed, after);
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

	@Test
	void aLookSeesAJobThatIsReadyOrDue() {
		this.tables.ready("b");
		assertThat(isAnyWaiting(share("a", 1), share("b", 1))).isTrue();
		this.tables.claim(this.pool, 1, share("b", 1));
		this.tables.due("b", -10);
		assertThat(isAnyWaiting(share("a", 1), share("b", 1))).isTrue();
	}

	@Test
	void aLookDoesNotSeeWhatAClaimWouldLeave() {
		long passed = this.tables.ready("a");
		long due = this.tables.due("a", -60);
		double later = this.tables.secondsBetween("next_execution_at", "'1970-01-01 00:00:00+00'::timestamptz",
				"gator_job where id = " + due) + 1;
		ClaimRequest.Share behind = new ClaimRequest.Share("a", 10, passed, later);
		this.tables.ready("a");
		this.tables.due("a", -10);
		assertThat(this.tables.claim(this.pool, 10, behind)).as("claimed already").hasSize(2);
		this.tables.ready("b");
		this.tables.ready("a", "Other");
		this.tables.due("a", "Other", -10);
		this.tables.due("a", 3600);
		assertThat(isAnyWaiting(behind)).isFalse();
		assertThat(isAnyWaiting(new ClaimRequest.Share("a", 1, 0, later))).as("from the beginning").isTrue();
		assertThat(isAnyWaiting(new ClaimRequest.Share("a", 1, passed, 0))).as("from the beginning").isTrue();
	}

	private boolean isAnyWaiting(ClaimRequest.Share... shares) {
		LookRequest other = new LookRequest(Set.of("Nothing of this name"), List.of(shares));
		LookRequest request = new LookRequest(Set.of(StoreTables.JOB), List.of(shares));
		Set<LookRequest> seen = this.tables.stores().jobs().look(List.of(other, request));
		assertThat(seen).isSubsetOf(request);
		return seen.contains(request);
	}

	@Test
	void theFirstItemThatWaitsInAQueueIsOneThatIsImmediateUnclaimedOfItsJobAndBehindTheStart() {
		this.tables.ready("a");
		assertThat(this.tables.claim(this.pool, 1, share("a", 1))).hasSize(1);
		this.tables.ready("a", "Nothing of this name");
		this.tables.due("a", -10);
		this.tables.ready("b");
		long first = this.tables.ready("a");
		long second = this.tables.ready("a");
		this.tables.due("c", -10);
		assertThat(firstWaiting("a", 0)).isEqualTo(Map.of("a", first));
		assertThat(firstWaiting("a", first)).isEqualTo(Map.of("a", second));
		assertThat(firstWaiting("a", second)).isEmpty();
		assertThat(firstWaiting("c", 0)).isEmpty();
	}

	private Map<String, Long> firstWaiting(String queue, long after) {
		return this.tables.stores()
			.jobs()
			.firstWaiting(Set.of(StoreTables.JOB), List.of(new BatchRequest.From(queue, after)));
	}

	@Test
	void theNextDueTimeIsThatOfTheEarliestJobToCome() {
		this.tables.due("a", -60);
		this.tables.due("c", 5);
		this.tables.ready("a");
		double now = nextDue(0).askedAt();
		assertThat(nextDue(now).seconds()).isEmpty();
		this.tables.due("a", 120);
		this.tables.due("b", 60);
		assertThat(nextDue(now).seconds().orElseThrow()).isBetween(30.0, 60.0);
		this.tables.advance(Duration.ofSeconds(70));
		assertThat(nextDue(now + 70).seconds().orElseThrow()).isBetween(20.0, 50.0);
	}

	@Test
	void aJobThatHasFallenDueSinceItWasLastAskedIsTheNextOneUnlessItIsClaimed() {
		double before = nextDue(0).askedAt();
		this.tables.due("a", 60);
		this.tables.advance(Duration.ofSeconds(120));
		assertThat(nextDue(before).seconds().orElseThrow()).isBetween(-90.0, -30.0);
		assertThat(this.tables.claim(this.pool, 1, share("a", 1))).hasSize(1);
		assertThat(nextDue(before).seconds()).isEmpty();
	}

	@Test
	void theNextJobIsFoundThoughTheClockWasPutBack() {
		double before = nextDue(0).askedAt();
		this.tables.due("a", 60);
		assertThat(nextDue(before + 1000).seconds().orElseThrow()).isBetween(30.0, 60.0);
	}

	@Test
	void jobsThatNobodyHereKnowsAreNotTheNextOneButAHundredOfThemEndTheSearch() {
		double now = nextDue(0).askedAt();
		for (int i = 1; i <= 99; i++) {
			this.tables.due("a", "Unknown", 60);
		}
		assertThat(nextDue(now).seconds()).isEmpty();
		this.tables.due("a", 120);
		assertThat(nextDue(now).seconds().orElseThrow()).isBetween(90.0, 120.0);
		this.tables.due("a", "Unknown", 70);
		assertThat(nextDue(now).seconds().orElseThrow()).isBetween(40.0, 70.0);
		this.tables.due("b", 30);
		assertThat(nextDue(now).seconds().orElseThrow()).isBetween(0.0, 30.0);
	}

	private JobStore.NextDue nextDue(double since) {
		return this.tables.stores().jobs().nextDue(List.of(StoreTables.JOB), List.of("a", "b"), since);
	}

	@Test
	void theLastImmediateJobOfAQueueIsFoundWhateverItsNameAndWhoeverRunsIt() {
		this.tables.ready("a");
		long running = this.tables.ready("a");
		assertThat(this.tables.claim(this.pool, 10, share("a", 10))).hasSize(2);
		this.tables.due("a", 60);
		long foreign = this.tables.ready("b", "Nothing of this name");
		JobStore.Ends ends = this.tables.stores().jobs().ends(List.of("c", "a", "b"), 0);
		assertThat(ends.lastIds()).isEqualTo(Map.of("a", running, "b", foreign));
		assertThat(ends.now()).isEqualTo(nextDue(0).askedAt(), offset(60.0));
	}

}
