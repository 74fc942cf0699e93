package io.gator.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.gator.store.BatchRequest;
import io.gator.store.JobStore;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class KeyedMarksTests {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private static final List<String> QUEUE = List.of("a");

	private final Items store = new Items();

	private final Reach reach = new Reach("test", this.store);

	private final KeyedMarks marks = new KeyedMarks(this.store, Set.of("Mail"), this.reach, this.store::now);

	@Test
	void asLongAsClaimsAreQuickNothingIsLookedUp() {
		claimThatTakes(KeyedMarks.SLOW_NANOS, 1);
		move();
		assertThat(this.store.starts).isEmpty();
		assertThat(this.marks.after("a")).isZero();
	}

	@Test
	void aSlowClaimIsNoReasonForMarksIfTheDatabaseSkipsDeadRows() {
		this.store.first.add(Map.of("a", 100L));
		claimThatTakes(SECOND, 1);
		move();
		move();
		assertThat(this.store.starts).as("from the beginning").containsExactly(0L, 0L);
		assertThat(this.marks.after("a")).isZero();
	}

	@Test
	void whereDeadRowsMakeClaimsSlowTheyBeginWhereTheFirstItemWaitedASecondAgo() {
		walkOverDeadRows(100, 200);
		assertThat(this.store.starts).containsExactly(0L, 0L);
		assertThat(this.marks.after("a")).as("items of the last second may not be committed").isEqualTo(99);
		assertThat(this.marks.after("b")).as("nobody has looked there").isZero();
	}

	@Test
	void asLongAsClaimsFromTheMarksAreSlowTheMarksGoOnFromWhereTheyAre() {
		walkOverDeadRows(100, 200);
		this.store.first.add(Map.of("a", 300L));
		move();
		assertThat(this.store.starts).containsExactly(0L, 0L, 99L);
		assertThat(this.marks.after("a")).isEqualTo(199);
	}

	@Test
	void aSweepAfterOneThatWasBrokenOffBeginsAsFarBackAsThePoolLooks() {
		this.store.newest = new JobStore.Newest(50_000_000, 0);
		claimThatTakes(SECOND, 1);
		this.store.failures.add(StoreExceptions.timeout());
		move();
		claimThatTakes(SECOND, 1);
		this.store.pass(1000 * SECOND);
		move();
		assertThat(this.store.starts).containsExactly(0L, 50_000_000 - Reach.IDS);
	}

	@Test
	void onceClaimsFromTheMarksAreQuickTheMarksStay() {
		walkOverDeadRows(100, 200);
		claimThatTakes(KeyedMarks.SLOW_NANOS, 250);
		move();
		assertThat(this.store.starts).hasSize(2);
		assertThat(this.marks.after("a")).isEqualTo(99);
	}

	@Test
	void marksGoOnOnceASecondAndLessOftenWhereThatIsSlow() {
		walkOverDeadRows(100, 200);
		this.store.takes = 0;
		this.marks.moveIfDue(QUEUE);
		assertThat(this.store.starts).hasSize(2);
		this.store.pass(SECOND);
		this.store.takes = SECOND / 10;
		this.marks.moveIfDue(QUEUE);
		assertThat(this.store.starts).hasSize(3);
		this.store.pass(2 * SECOND - 1);
		this.marks.moveIfDue(QUEUE);
		assertThat(this.store.starts).hasSize(3);
		this.store.pass(1);
		this.marks.moveIfDue(QUEUE);
		assertThat(this.store.starts).hasSize(4);
	}

	@Test
	void marksGoBackToAnItemThatAppearedBeforeThem() {
		walkOverDeadRows(100, 200);
		this.store.first.add(Map.of("a", 150L));
		move();
		assertThat(this.marks.after("a")).isEqualTo(149);
	}

	@Test
	void whereNothingWaitsTheMarkGoesToTheLastItemThatWasClaimed() {
		walkOverDeadRows(100, 200);
		claimThatTakes(SECOND, 299, 300, 298);
		move();
		move();
		assertThat(this.marks.after("a")).isEqualTo(300);
		claimThatTakes(SECOND, 250);
		move();
		move();
		assertThat(this.marks.after("a")).as("an item that was given back").isEqualTo(300);
	}

	@Test
	void whereOthersHaveClaimedAllTheMarkStaysWhereTheFirstItemWaited() {
		walkOverDeadRows(100, 200);
		move();
		move();
		assertThat(this.marks.after("a")).isEqualTo(199);
	}

	@Test
	void sweepsFromTheBeginningFindWhatAppearedBehindTheMarks() {
		walkOverDeadRows(100, 200);
		claimThatTakes(0);
		this.store.pass(17 * SECOND);
		move();
		assertThat(this.store.starts).as("a sweep takes a twentieth of the time").hasSize(2);
		this.store.takes = SECOND;
		this.store.first.add(Map.of("a", 7L));
		move();
		assertThat(this.store.starts).containsExactly(0L, 0L, 0L);
		assertThat(this.marks.after("a")).isEqualTo(6);
		this.store.takes = 0;
		claimThatTakes(SECOND);
		move();
		assertThat(this.store.starts).as("the marks go on after a second").containsExactly(0L, 0L, 0L, 6L);
	}

	@Test
	void aSweepThatIsQuickIsTheEndOfTheMarks() {
		walkOverDeadRows(100, 200);
		claimThatTakes(0);
		this.store.takes = KeyedMarks.SLOW_NANOS;
		this.store.pass(20 * SECOND);
		move();
		assertThat(this.marks.after("a")).isZero();
		this.store.pass(60 * SECOND);
		move();
		assertThat(this.store.starts).as("nothing is looked up any more").hasSize(3);
	}

	@Test
	void aLookThatTookTooLongIsMadeAgainLaterAndClaimsDoWithout() {
		this.store.takes = 10 * SECOND;
		this.store.failures.add(StoreExceptions.timeout());
		claimThatTakes(SECOND, 1);
		this.marks.moveIfDue(QUEUE);
		assertThat(this.store.starts).hasSize(1);
		assertThat(this.marks.after("a")).isZero();
		this.store.pass(200 * SECOND - 1);
		this.marks.moveIfDue(QUEUE);
		assertThat(this.store.starts).hasSize(1);
		this.store.pass(1);
		this.marks.moveIfDue(QUEUE);
		assertThat(this.store.starts).hasSize(2);
	}

	@Test
	void aSweepThatTookTooLongLeavesTheMarksAsTheyAre() {
		walkOverDeadRows(100, 200);
		this.store.pass(21 * SECOND);
		this.store.failures.add(StoreExceptions.timeout());
		assertThat(this.marks.moveIfDue(QUEUE)).as("whether it saw what lies behind them").isFalse();
		assertThat(this.store.starts).containsExactly(0L, 0L, 0L);
		assertThat(this.marks.after("a")).isEqualTo(99);
	}

	@Test
	void marksOfAllJobsGoToTheEndOfAQueueInWhichNoneOfTheirItemsWaits() {
		KeyedMarks all = KeyedMarks.ofAll(this.store, Set.of("Mail"), this.reach, this.store::now);
		this.store.ends.add(new JobStore.Ends(0, Map.of("a", 500L)));
		this.store.takes = SECOND;
		brokenOff(all);
		all.moveIfDue(QUEUE);
		assertThat(all.after("a")).as("items of the last second may not be committed").isZero();
		assertThat(all.untilSet(this.store.now())).as("so claims wait for the second look").isEqualTo(SECOND);
		this.store.pass(SECOND);
		all.moveIfDue(QUEUE);
		assertThat(all.untilSet(this.store.now())).isZero();
		assertThat(all.after("a")).isEqualTo(500);
		assertThat(this.store.starts).as("from the beginning").containsExactly(0L, 0L);
		assertThat(this.store.ends).as("asked for once").isEmpty();
		this.store.first.add(Map.of("a", 400L));
		this.store.pass(20 * SECOND);
		all.moveIfDue(QUEUE);
		assertThat(all.after("a")).as("an item that was found behind the marks").isEqualTo(399);
	}

	@Test
	void marksOfAllJobsFollowTheEndOfAQueueThatGrows() {
		KeyedMarks all = KeyedMarks.ofAll(this.store, Set.of("Mail"), this.reach, this.store::now);
		this.store.takes = SECOND;
		List.of(500L, 500L, 900L, 900L).forEach((end) -> {
			this.store.ends.add(new JobStore.Ends(0, Map.of("a", end)));
			brokenOff(all);
			all.moveIfDue(QUEUE);
			this.store.takes = 0;
		});
		assertThat(this.store.starts).containsExactly(0L, 0L, 500L, 500L);
		assertThat(all.after("a")).isEqualTo(900);
	}

	@Test
	void whereItTakesTooLongToFindTheEndOfAQueueTheMarksStay() {
		KeyedMarks all = KeyedMarks.ofAll(this.store, Set.of("Mail"), this.reach, this.store::now);
		this.store.failures.add(StoreExceptions.timeout());
		this.store.takes = SECOND;
		brokenOff(all);
		all.moveIfDue(QUEUE);
		this.store.pass(SECOND);
		all.moveIfDue(QUEUE);
		assertThat(this.store.starts).containsExactly(0L, 0L);
		assertThat(all.after("a")).isZero();
		assertThat(all.untilSet(this.store.now())).isZero();
	}

	@Test
	void claimsDoNotWaitForMarksThatAreNotUsed() {
		KeyedMarks all = KeyedMarks.ofAll(this.store, Set.of("Mail"), this.reach, this.store::now);
		brokenOff(all);
		all.moveIfDue(QUEUE);
		assertThat(all.untilSet(this.store.now())).isZero();
	}

	@Test
	void claimsThatAreSlowButEndDoNotWaitForTheMarks() {
		this.store.takes = SECOND;
		brokenOff(this.marks);
		claimThatTakes(SECOND);
		move();
		assertThat(this.store.starts).hasSize(1);
		assertThat(this.marks.untilSet(this.store.now())).isZero();
	}

	@Test
	void afterAWakeUpASweepIsOwedAsSoonAsSweepsMayBe() {
		walkOverDeadRows(100, 200);
		claimThatTakes(0);
		assertThat(this.marks.untilSweep(this.store.now())).as("nobody waits for it").isEqualTo(Long.MAX_VALUE);
		this.marks.woken();
		assertThat(this.marks.untilSweep(this.store.now())).isEqualTo(19 * SECOND);
		this.store.pass(19 * SECOND);
		assertThat(this.marks.untilSweep(this.store.now())).isZero();
		this.store.takes = SECOND;
		this.store.first.add(Map.of("a", 7L));
		this.marks.moveIfDue(QUEUE);
		assertThat(this.marks.after("a")).isEqualTo(6);
		assertThat(this.marks.untilSweep(this.store.now())).as("all is seen").isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void aSweepThatTookTooLongIsStillOwed() {
		walkOverDeadRows(100, 200);
		claimThatTakes(0);
		this.marks.woken();
		this.store.pass(19 * SECOND);
		this.store.takes = 10 * SECOND;
		this.store.failures.add(StoreExceptions.timeout());
		this.marks.moveIfDue(QUEUE);
		assertThat(this.marks.untilSweep(this.store.now())).isEqualTo(200 * SECOND);
	}

	@Test
	void aLookThatBeginsAtTheMarksIsNotTheSweepThatIsOwed() {
		walkOverDeadRows(100, 200);
		claimThatTakes(SECOND);
		this.marks.woken();
		this.marks.moveIfDue(QUEUE);
		assertThat(this.store.starts).containsExactly(0L, 0L, 99L);
		assertThat(this.marks.untilSweep(this.store.now())).isEqualTo(18 * SECOND);
	}

	@Test
	void withoutMarksNoSweepIsOwed() {
		this.marks.woken();
		assertThat(this.marks.untilSweep(this.store.now())).isEqualTo(Long.MAX_VALUE);
	}

	@Test
	void whereTheEndOfAQueueCannotBeAskedForThePollFails() {
		KeyedMarks all = KeyedMarks.ofAll(this.store, Set.of("Mail"), this.reach, this.store::now);
		this.store.failures.add(StoreExceptions.data());
		brokenOff(all);
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> all.moveIfDue(QUEUE));
	}

	private void brokenOff(KeyedMarks marks) {
		long start = this.store.now();
		this.store.pass(SECOND);
		marks.brokenOff(new Elapsed(start, this.store.now()));
	}

	@Test
	void aLookThatFailsOtherwiseFailsThePoll() {
		claimThatTakes(SECOND, 1);
		this.store.failures.add(StoreExceptions.data());
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.marks.moveIfDue(QUEUE));
	}

	/** Look twice, from the beginning and slowly, for the items that wait there. */
	private void walkOverDeadRows(long first, long second) {
		this.store.first.add(Map.of("a", first));
		this.store.first.add(Map.of("a", second));
		this.store.takes = SECOND;
		claimThatTakes(SECOND, 1);
		move();
		this.store.takes = 0;
		move();
	}

	private void claimThatTakes(long nanos, long... ids) {
		long start = this.store.now();
		this.store.pass(nanos);
		for (long id : ids) {
			this.marks.claimed("a", List.of(TestClaimedJob.of(id, "Mail").queue("a").get()));
		}
		this.marks.ended(new Elapsed(start, this.store.now()));
	}

	private void move() {
		this.store.pass(SECOND);
		this.marks.moveIfDue(QUEUE);
	}

	/** Tells where the first items wait. */
	private static final class Items extends FakeJobStore {

		final Deque<Map<String, Long>> first = new ArrayDeque<>();

		/** Where the looks began. */
		final List<Long> starts = new ArrayList<>();

		/** Where queues end. */
		final Deque<Ends> ends = new ArrayDeque<>();

		/** How long a look takes. */
		long takes;

		@Override
		public Ends ends(Collection<String> queues, long after) {
			failIfTold();
			return Objects.requireNonNullElse(this.ends.poll(), Ends.UNKNOWN);
		}

		@Override
		public Map<String, Long> firstWaiting(Set<String> names, List<BatchRequest.From> queues) {
			assertThat(names).containsExactly("Mail");
			queues.forEach((from) -> this.starts.add(from.after()));
			pass(this.takes);
			failIfTold();
			return Objects.requireNonNullElse(this.first.poll(), Map.of());
		}

	}

}
