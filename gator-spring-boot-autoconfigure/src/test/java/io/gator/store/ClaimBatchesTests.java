package io.gator.store;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.gator.test.DatabaseHandle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.gator.store.StoreTables.ids;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of {@link JobStore#claimBatches} and {@link JobStore#lookForBatches}:
 * which items are a batch, and which batches go first.
 */
class ClaimBatchesTests extends AbstractClaimTests {

	private static final List<String> QUEUE_A = List.of("a");

	private static final double ALL_DUE = Double.NEGATIVE_INFINITY;

	ClaimBatchesTests(DatabaseHandle database) {
		super(database);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aBatchIsMadeOfTheOldestItemsOfTheWindowThatNobodyElseTakes(boolean due) throws Exception {
		List<Long> items = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			items.add(due ? this.tables.due("a", -10) : this.tables.ready("a"));
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
	void noItemIsClaimedTheSmallestMomentBeforeItsTime() {
		this.tables.stopClock();
		long early = this.tables.due("a", 0.000001);
		assertThat(claimBatch(1, 1)).isEmpty();
		this.tables.jdbc().sql("update gator_job set next_execution_at = test_now()").update();
		assertThat(claimBatch(1, 1)).containsExactly(early);
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
	void aLimitThatIsLargerThanABatchLimitsNothing() {
		List<Long> items = List.of(this.tables.ready("a"), this.tables.ready("a"));
		this.tables.jdbc().sql("update gator_job set batch_limit = 5").update();
		assertThat(claimBatch(2, 2)).containsExactlyInAnyOrderElementsOf(items);
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
	void whatIsLeftBehindFullBatchesWaitsForLongEnoughItself() {
		List<Long> old = readyWithKey(null, 2);
		this.tables.advance(Duration.ofMinutes(61));
		List<Long> left = List.of(this.tables.due("a", 0));
		assertThat(batches(request(2, 2, false))).containsExactly(old);
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(batches(request(2, 2, false))).containsExactly(left);
	}

	@Test
	void aFullBatchThatHasWaitedForLongEnoughIsOneBatch() {
		List<Long> first = readyWithKey("b", 2);
		List<Long> second = readyWithKey("a", 2);
		this.tables.advance(Duration.ofMinutes(61));
		assertThat(batches(request(2, 2, true))).containsExactly(first, second);
	}

	@Test
	void ofSeveralJobsTheFirstOnesGoFirst() {
		this.tables.ready("a", "Other");
		long first = this.tables.ready("a");
		BatchRequest one = new BatchRequest(this.pool, QUEUE_A, ALL_DUE,
				List.of(buffered(StoreTables.JOB, 1, 1), buffered("Other", 1, 1)), 1);
		assertThat(claimBatches(one)).containsExactly(first);
	}

	@Test
	void aLookTellsOfAReadyBatchAmongOthersAndOfAWindowThatAllItemsTogetherFill() {
		readyWithKey("b", 1);
		readyWithKey("a", 2);
		WaitingBatches waiting = this.tables.stores()
			.jobs()
			.lookForBatches(new BatchRequest(this.pool, QUEUE_A, ALL_DUE,
					List.of(buffered(StoreTables.JOB, 2, 4), buffered(StoreTables.JOB, 3, 3)), 0));
		assertThat(waiting.ready()).containsExactly(0);
		assertThat(waiting.more()).containsExactly(1);
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

}
