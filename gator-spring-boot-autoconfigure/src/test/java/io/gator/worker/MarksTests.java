package io.gator.worker;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.JobStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.api.Assertions.within;

class MarksTests {

	/** Monotonic time may begin anywhere. */
	private static final long START = -5_000_000_000L;

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private static final long NEWEST = 50_000_000;

	private static final double NOW = 2_000_000_000;

	private final FakeJobStore store = new FakeJobStore();

	private final Reach reach = new Reach("test", this.store);

	private final Marks marks = new Marks(this.reach);

	private static ClaimedJob ready(long id) {
		return due(id, Double.NaN);
	}

	private static ClaimedJob due(long id, double dueAt) {
		return TestClaimedJob.of(id, "Work").queue("a").dueAt(dueAt).get();
	}

	private static List<ClaimedJob> readyUpTo(long id) {
		return LongStream.rangeClosed(Math.max(1, id - 9), id).mapToObj(MarksTests::ready).toList();
	}

	private ClaimRequest.Share share(String queue) {
		return this.marks.share(queue, 10);
	}

	@Test
	void theFirstClaimStartsFromTheBeginning() {
		assertThat(share("a")).isEqualTo(new ClaimRequest.Share("a", 10, 0, Double.NEGATIVE_INFINITY));
	}

	@Test
	void whileThereIsMoreTheNextClaimStartsWhereTheLastOneEnded() {
		for (int i = 1; i <= 5; i++) {
			this.marks.claimed("a", readyUpTo(10L * i), true, START + i);
			assertThat(share("a").after()).isEqualTo(10L * i);
		}
	}

	@Test
	void ofAnUnorderedClaimTheLargestIdCounts() {
		this.marks.claimed("a", List.of(ready(7), ready(9), ready(3)), true, START);
		assertThat(share("a").after()).isEqualTo(9);
	}

	@Test
	void largeIdsAreKeptToTheLastDigit() {
		long id = (1L << 53) - 1;
		this.marks.claimed("a", List.of(ready(id)), true, START);
		assertThat(share("a").after()).isEqualTo(id);
	}

	@ParameterizedTest
	@ValueSource(longs = { 1_000_000, 10_000_000, 300_000_000 })
	void whileAQueueIsCaughtUpItsMarkLagsOneToTwoSecondsBehind(long step) {
		TreeMap<Long, Long> newest = new TreeMap<>();
		long id = 0;
		for (long time = START; time < START + 10 * SECOND; time += step) {
			id += 3;
			newest.put(time, id);
			this.marks.claimed("a", readyUpTo(id), false, time);
			long mark = share("a").after();
			if (time >= START + 3 * SECOND) {
				assertThat(mark).isLessThanOrEqualTo(newest.floorEntry(time - SECOND).getValue())
					.isGreaterThanOrEqualTo(newest.floorEntry(time - 2 * SECOND - 2 * step).getValue());
			}
			else {
				assertThat(mark).isLessThan(id);
			}
		}
	}

	@Test
	void anIdThatWasClaimedOnceIsNotPassedUntilASecondLater() {
		this.marks.claimed("a", readyUpTo(10), false, START);
		assertThat(share("a").after()).isZero();
		this.marks.claimed("a", List.of(), false, START + SECOND - 1);
		assertThat(share("a").after()).isZero();
		this.marks.claimed("a", List.of(), false, START + SECOND);
		assertThat(share("a").after()).isEqualTo(10);
	}

	@Test
	void whereIdsBeginAgainTheMarkGoesBackAfterSomeSweeps() {
		sweep(0, 1000);
		sweep(1, 1000);
		sweep(2, 1000);
		assertThat(share("a").after()).isEqualTo(1000);
		for (int i = 0; i < Marks.SWEEPS_BEFORE - 1; i++) {
			sweep(3 + i, 1 + i);
			assertThat(share("a").after()).as("the row may be of a job that runs for long").isEqualTo(1000);
		}
		sweep(3 + Marks.SWEEPS_BEFORE, 7);
		assertThat(share("a").after()).isEqualTo(7);
	}

	@Test
	void anEndBehindTheMarkBetweenTwoBeforeItKeepsTheMark() {
		for (int i = 0; i < 3; i++) {
			sweep(i, 1000);
		}
		for (int i = 3; i < 3 + 3 * Marks.SWEEPS_BEFORE; i++) {
			sweep(i, (i % 2 == 0) ? 1000 : 5);
			assertThat(share("a").after()).isEqualTo(1000);
		}
	}

	private void sweep(int second, long lastId) {
		long now = START + second * SECOND;
		this.marks.begin(now);
		assertThat(share("a").after()).as("a sweep").isZero();
		this.marks.claimed("a", List.of(), false, new JobStore.Ends(50, Map.of("a", lastId)), now);
		this.marks.ended(false, new Elapsed(now, now));
	}

	@Test
	void jobsOfOthersAreNotWalkedOverAgainWhenTheirEndIsKnown() {
		JobStore.Ends ends = new JobStore.Ends(50, Map.of("a", 1000L, "b", 1000L));
		this.marks.claimed("a", List.of(), false, ends, START);
		assertThat(share("a").after()).as("somebody may still commit before it").isZero();
		this.marks.claimed("a", List.of(), false, START + SECOND);
		assertThat(share("a").after()).isEqualTo(1000);
		assertThat(share("a").dueAfter()).isEqualTo(50, offset(0.01));
		this.marks.claimed("b", List.of(ready(5)), true, ends, START);
		assertThat(share("b").after()).as("there is more before it").isEqualTo(5);
	}

	@Test
	void aSweepThatIsBrokenOffIsNotBegunAgainAtOnce() {
		claim(START, 0);
		long now = START + SECOND;
		for (long took : List.of(SECOND / 10, SECOND, 10 * SECOND)) {
			long rest = Math.min(10 * SECOND, Marks.SWEEP_SHARE * took);
			this.marks.sweepIfDue(now);
			assertThat(share("a").after()).isZero();
			this.marks.brokenOff(Set.of("a"), new Elapsed(now, now + took));
			now += took;
			this.marks.sweepIfDue(now);
			assertThat(share("a").after()).isEqualTo(10);
			this.marks.sweepIfDue(now + rest - 1);
			assertThat(share("a").after()).isEqualTo(10);
			now += rest;
		}
		assertThat(claim(now, 0)).as("sweeps").isTrue();
		assertThat(claim(now + SECOND, 0)).as("sweeps").isTrue();
	}

	@Test
	void aSweepAfterOneThatWasBrokenOffBeginsAsFarBackAsThePoolLooks() {
		dispatchMany();
		claimUpTo(NEWEST - 1, START);
		claimUpTo(NEWEST, START + SECOND);
		breakOff(START + 2 * SECOND);
		assertThat(share("a").after()).isEqualTo(NEWEST);
		this.marks.sweepIfDue(START + 22 * SECOND);
		assertThat(share("a").after()).isEqualTo(NEWEST - Reach.IDS);
	}

	@Test
	void noSweepBeginsAheadOfAMark() {
		dispatchMany();
		claimUpTo(1000, START);
		claimUpTo(1010, START + SECOND);
		breakOff(START + 2 * SECOND);
		this.marks.sweepIfDue(START + 22 * SECOND);
		assertThat(share("a").after()).as("of a backlog").isEqualTo(1000);
	}

	@Test
	void aMarkFromWhichClaimsAreBrokenOffGoesAsFarAsThePoolLooks() {
		dispatchMany();
		this.marks.begin(START);
		breakOff(START);
		assertThat(share("a").after()).as("it was a sweep").isZero();
		breakOff(START + 11 * SECOND);
		assertThat(this.reach.afterId()).as("the claim began further back").isEqualTo(NEWEST - Reach.IDS);
		assertThat(share("a").after()).isEqualTo(NEWEST - Reach.IDS);
		assertThat(share("a").dueAfter()).isEqualTo(NOW - Reach.SECONDS);
		this.marks.claimed("a", List.of(), false, START + 22 * SECOND);
		assertThat(share("a").after()).as("somebody may still commit before it").isEqualTo(NEWEST - Reach.IDS);
		this.marks.claimed("a", List.of(), false, START + 23 * SECOND);
		assertThat(share("a").after()).as("nothing was left up to there").isEqualTo(NEWEST);
		assertThat(share("a").dueAfter()).isEqualTo(NOW);
	}

	@Test
	void aMarkThatWentForwardGoesBackWhereIdsBeginAgain() {
		dispatchMany();
		breakOff(START);
		breakOff(START + 11 * SECOND);
		this.store.newest = JobStore.Newest.UNKNOWN;
		breakOff(START + 100 * SECOND);
		for (int i = 0; i <= Marks.SWEEPS_BEFORE; i++) {
			sweep(200 + i, 7);
		}
		assertThat(share("a").after()).isEqualTo(7);
	}

	@Test
	void whereMarksShareAStatementThatIsBrokenOffNoneOfThemGoesForwardForThat() {
		dispatchMany();
		Marks others = new Marks(this.reach);
		Elapsed statement = new Elapsed(START, START + 10 * SECOND);
		for (Marks each : List.of(this.marks, others)) {
			each.begin(START);
			each.brokenOff(Set.of("a"), statement);
			assertThat(each.after("a")).isZero();
		}
		assertThat(this.reach.afterId()).isEqualTo(NEWEST - Reach.IDS);
	}

	@Test
	void aMarkFromWhichClaimsAreBrokenOffDoesNotGoBack() {
		dispatchMany();
		claimUpTo(2 * NEWEST, START);
		claimUpTo(2 * NEWEST + 10, START + SECOND / 2);
		breakOff(START + SECOND / 2);
		assertThat(share("a").after()).isEqualTo(2 * NEWEST + 10);
	}

	@Test
	void rowsThatWereFoundBehindAMarkAreLeftToTheNextSweepWhenTheClaimOfTheRestIsBrokenOff() {
		claimUpTo(100, START);
		claimUpTo(20, START + SECOND);
		assertThat(share("a").after()).isEqualTo(20);
		breakOff(START + SECOND);
		assertThat(share("a").after()).isEqualTo(100);
		this.marks.sweepIfDue(START + 21 * SECOND - 1);
		assertThat(share("a").after()).isEqualTo(100);
		this.marks.sweepIfDue(START + 21 * SECOND);
		assertThat(share("a").after()).isZero();
	}

	private void dispatchMany() {
		this.store.newest = new JobStore.Newest(NEWEST, NOW);
	}

	private void claimUpTo(long id, long now) {
		this.marks.begin(now);
		this.marks.claimed("a", readyUpTo(id), true, now);
		this.marks.ended(true, new Elapsed(now, now));
	}

	private void breakOff(long now) {
		this.marks.sweepIfDue(now);
		this.marks.brokenOff(Set.of("a"), new Elapsed(now, now + 10 * SECOND));
	}

	@Test
	void whatWasBehindTheMarksIsSeenByTheNextSweepAndNotByAnOlderOne() {
		claim(START, 0);
		assertThat(this.marks.untilAllIsSeen(START, START + 10)).as("it was a sweep").isZero();
		assertThat(this.marks.untilAllIsSeen(START + 1, START + 10)).as("it began before").isEqualTo(SECOND - 10);
		claim(START + 20, 0);
		assertThat(this.marks.untilAllIsSeen(START, START + 30)).as("the sweep was not the last claim").isZero();
		claim(START + SECOND, 0);
		assertThat(this.marks.untilAllIsSeen(START + 1, START + SECOND)).isZero();
	}

	@Test
	void whereSomethingWentBackTheNextSweepIsMadeAtOnceUnlessSweepsAreSlow() {
		claim(START, 0);
		claim(START + 10, 0);
		assertThat(share("a").after()).isPositive();
		this.marks.sweepSoon();
		this.marks.sweepIfDue(START + 20);
		assertThat(share("a").after()).isZero();
		claim(START + SECOND, SECOND);
		this.marks.sweepSoon();
		this.marks.sweepIfDue(START + 21 * SECOND);
		assertThat(share("a").after()).isPositive();
		this.marks.sweepIfDue(START + 22 * SECOND);
		assertThat(share("a").after()).isZero();
	}

	@Test
	void aSweepThatComesToAnotherQueueLaterAndIsQuickThereIsNoReasonToSweepTheFirstOneSooner() {
		claim(START, SECOND);
		this.marks.claimed("b", readyUpTo(10), false, START + SECOND);
		this.marks.ended(false, new Elapsed(START + SECOND, START + SECOND + 1));
		this.marks.sweepSoon();
		this.marks.sweepIfDue(START + 2 * SECOND);
		assertThat(share("a").after()).isPositive();
	}

	@Test
	void aQueueThatIsNotAskedForIsNoReasonToTakeAClaimForASweep() {
		claim(START, 0);
		this.marks.claimed("b", readyUpTo(10), false, START);
		claim(START + SECOND, 0);
		this.marks.brokenOff(Set.of("a"), new Elapsed(START + SECOND, START + 11 * SECOND));
		this.marks.sweepIfDue(START + 11 * SECOND);
		assertThat(share("a").after()).as("it swept nothing").isZero();
	}

	@Test
	void aSweepThatFellDueWhileAClaimRanIsMadeAtOnce() {
		claim(START, 0);
		claim(START + SECOND - 2, 0);
		assertThat(this.marks.untilAllIsSeen(START + SECOND - 2, START + SECOND + 3)).isPositive();
		assertThat(this.marks.untilAllIsSeen(START + SECOND, START + SECOND + 3))
			.as("the claim that left these queues out owes them a sweep")
			.isZero();
	}

	@Test
	void aClaimThatIsBrokenOffAndSweptNothingPutsNoSweepOff() {
		claim(START, 0);
		this.marks.brokenOff(Set.of("a"), new Elapsed(START, START + 10 * SECOND));
		this.marks.sweepIfDue(START + 10 * SECOND);
		assertThat(share("a").after()).isZero();
	}

	@Test
	void aQueueThatIsCaughtUpAgainLooksBehindItsNewestMark() {
		this.marks.claimed("a", readyUpTo(10), false, START);
		this.marks.claimed("a", readyUpTo(500), true, START + SECOND / 2);
		assertThat(share("a").after()).isEqualTo(500);
		this.marks.claimed("a", readyUpTo(505), false, START + SECOND / 2 + 1);
		assertThat(share("a").after()).isZero();
	}

	@Test
	void aRowThatAppearedBehindAMarkDoesNotTakeItBack() {
		this.marks.claimed("a", readyUpTo(100), true, START);
		this.marks.claimed("a", List.of(ready(5), due(6, 1000)), false, START + 1);
		this.marks.claimed("a", List.of(), false, START + SECOND);
		assertThat(share("a").after()).isEqualTo(100);
	}

	@Test
	void rowsThatFilledAClaimBehindAMarkAreFollowedUpToIt() {
		this.marks.claimed("a", readyUpTo(100), true, START);
		this.marks.claimed("a", readyUpTo(20), true, START + 1);
		assertThat(share("a").after()).isEqualTo(20);
		this.marks.claimed("a", readyUpTo(30), true, START + 2);
		assertThat(share("a").after()).isEqualTo(30);
		// One that due jobs filled says nothing about the rest.
		this.marks.claimed("a", List.of(due(99, 1000)), true, START + 3);
		assertThat(share("a").after()).isEqualTo(30);
		this.marks.claimed("a", readyUpTo(110), true, START + 4);
		assertThat(share("a").after()).isEqualTo(110);
	}

	@Test
	void whereNothingIsLeftBehindAMarkTheClaimsReturnToIt() {
		this.marks.claimed("a", readyUpTo(100), true, START);
		this.marks.claimed("a", readyUpTo(20), true, START + 1);
		this.marks.claimed("a", List.of(), false, START + SECOND);
		assertThat(share("a").after()).isEqualTo(100);
	}

	@Test
	void dueTimesThatFilledAClaimBehindAMarkAreFollowedUpToIt() {
		this.marks.claimed("a", List.of(due(1, 2000)), true, START);
		this.marks.claimed("a", List.of(due(2, 1000)), true, START + 1);
		assertThat(share("a").dueAfter()).isCloseTo(1000, within(0.01));
		this.marks.claimed("a", List.of(due(3, 3000)), true, START + 2);
		assertThat(share("a").dueAfter()).isCloseTo(3000, within(0.01));
	}

	@Test
	void dueTimesHaveAMarkOfTheirOwnAHairBehind() {
		this.marks.claimed("a", List.of(due(99, 1000.5), due(98, 1000.25)), true, START);
		assertThat(share("a").after()).isZero();
		assertThat(share("a").dueAfter()).isLessThan(1000.5).isCloseTo(1000.5, within(0.01));
	}

	@Test
	void anImmediateJobShowsThatTheDueOnesAreCaughtUp() {
		this.marks.claimed("a", List.of(due(8, 1000)), true, START);
		this.marks.claimed("a", readyUpTo(10), true, START + 1);
		assertThat(share("a")).isEqualTo(new ClaimRequest.Share("a", 10, 10, Double.NEGATIVE_INFINITY));
	}

	@Test
	void aFullClaimSaysNothingAboutAQueueThatItDidNotComeTo() {
		this.marks.claimed("a", readyUpTo(10), false, START);
		this.marks.claimed("a", List.of(), true, START + 1);
		assertThat(share("a").after()).isZero();
	}

	@Test
	void queuesHaveMarksOfTheirOwn() {
		this.marks.claimed("a", readyUpTo(100), true, START);
		assertThat(share("b")).isEqualTo(new ClaimRequest.Share("b", 10, 0, Double.NEGATIVE_INFINITY));
	}

	@Test
	void aSweepStartsFromTheBeginningAndForgetsNothing() {
		this.marks.claimed("a", List.of(due(8, 1000)), true, START);
		this.marks.claimed("a", readyUpTo(7), true, START);
		this.marks.sweepIfDue(START);
		assertThat(share("a")).isEqualTo(new ClaimRequest.Share("a", 10, 0, Double.NEGATIVE_INFINITY));
		this.marks.claimed("a", readyUpTo(9), true, START + 1);
		assertThat(share("a").after()).isEqualTo(9);
	}

	@Test
	void aSweepIsOwedToAQueueUntilAClaimComesToIt() {
		this.marks.claimed("a", readyUpTo(10), true, START);
		this.marks.claimed("b", readyUpTo(10), true, START);
		this.marks.sweepIfDue(START);
		this.marks.claimed("a", readyUpTo(20), true, START + 1);
		this.marks.claimed("b", List.of(), true, START + 1);
		assertThat(share("a").after()).isEqualTo(20);
		assertThat(share("b").after()).isZero();
		this.marks.claimed("b", readyUpTo(30), true, START + 2);
		assertThat(share("b").after()).isEqualTo(30);
	}

	@Test
	void aSweepThatDueJobsFilledIsOwedToTheImmediateOnes() {
		this.marks.claimed("a", readyUpTo(10), true, START);
		this.marks.sweepIfDue(START);
		this.marks.claimed("a", List.of(due(8, 1000)), true, START + 1);
		assertThat(share("a").after()).isZero();
		assertThat(share("a").dueAfter()).isCloseTo(1000, within(0.01));
	}

	@Test
	void aSweepIsMadeAtOnceAndThenEverySecond() {
		assertThat(claim(START, 1000)).as("sweeps").isTrue();
		assertThat(claim(START + SECOND - 1, 0)).as("sweeps").isFalse();
		assertThat(claim(START + SECOND, 0)).as("sweeps").isTrue();
	}

	@Test
	void slowSweepsTakeNoMoreThanATwentiethOfTheTime() {
		long sweeping = 0;
		long end = START + 1000 * SECOND;
		for (long now = START; now < end; now += SECOND / 100) {
			if (claim(now, 3 * SECOND)) {
				sweeping += 3 * SECOND;
				now += 3 * SECOND;
			}
		}
		assertThat(sweeping / SECOND).isBetween(40L, 51L);
	}

	@Test
	void slowClaimsThatSweepNothingPutNoSweepOff() {
		assertThat(claim(START, 0)).as("sweeps").isTrue();
		this.marks.claimed("b, to which the claim did not come", List.of(), true, START + 1);
		assertThat(claim(START + 1, SECOND)).as("sweeps").isFalse();
		assertThat(claim(START + SECOND + 1, 0)).as("sweeps").isTrue();
	}

	@Test
	void aQueueThatIsCaughtUpWhileOthersFillTheClaimsIsLookedForBehindItsMarkATenthOfTheTime() {
		long claim = SECOND / 1000;
		int looks = 0;
		this.marks.claimed("a", readyUpTo(10), false, START);
		for (int i = 0; i < 1000; i++) {
			looks += full(START + i * claim, claim) ? 1 : 0;
		}
		assertThat(looks).isBetween(90, 101);
	}

	@Test
	void aQueueThatIsCaughtUpIsNeverPassedByForMoreThanAQuarterOfASecondWhileOthersFillTheClaims() {
		long claim = SECOND / 20;
		this.marks.claimed("a", readyUpTo(10), false, START);
		assertThat(full(START, claim)).as("looks behind").isTrue();
		for (int i = 1; i <= 5; i++) {
			assertThat(full(START + i * claim, claim)).as("looks behind").isFalse();
		}
		assertThat(full(START + 6 * claim, claim)).as("looks behind").isTrue();
	}

	@Test
	void aClaimThatIsNotFullLooksBehindTheMarksBeforeItEnds() {
		this.marks.claimed("a", readyUpTo(10), false, START);
		full(START, SECOND);
		this.marks.begin(START + SECOND);
		assertThat(share("a").after()).isEqualTo(10);
		assertThat(this.marks.lookBehind()).as("has not looked yet").isTrue();
		assertThat(share("a").after()).isZero();
		assertThat(this.marks.lookBehind()).as("has not looked yet").isFalse();
	}

	@Test
	void aClaimThatIsNotFullLooksBehindTheMarksThoughTheOneBeforeHadFilledItsQueue() {
		this.marks.begin(START);
		this.marks.claimed("a", readyUpTo(10), true, START);
		this.marks.ended(true, new Elapsed(START, START));
		this.marks.begin(START + Marks.LOOK_NANOS);
		assertThat(share("a").after()).as("it may have more").isEqualTo(10);
		this.marks.claimed("a", List.of(), false, START + Marks.LOOK_NANOS);
		assertThat(this.marks.lookBehind()).as("has not looked yet").isTrue();
		assertThat(share("a").after()).isZero();
		assertThat(this.marks.lookBehind()).as("has not looked yet").isFalse();
	}

	@Test
	void queuesThatAreNotKnownAreForgotten() {
		for (String queue : List.of("a", "b")) {
			this.marks.claimed(queue, readyUpTo(10), false, START);
			this.marks.claimed(queue, readyUpTo(20), false, START + SECOND);
		}
		this.marks.retain(Set.of("b"));
		assertThat(share("a").after()).isZero();
		assertThat(share("b").after()).isEqualTo(10);
	}

	@Test
	void theClaimAfterOneThatWasNotFullAndDidNotLookBehindTheMarksLooksBehindThem() {
		this.marks.claimed("a", readyUpTo(10), false, START);
		full(START, SECOND);
		this.marks.begin(START + SECOND);
		this.marks.ended(false, new Elapsed(START + SECOND, START + SECOND + 1));
		this.marks.begin(START + SECOND + 1);
		assertThat(share("a").after()).isZero();
	}

	/** A claim that other queues fill, and whether it looks behind the mark. */
	private boolean full(long now, long nanos) {
		this.marks.begin(now);
		boolean looks = share("a").after() < 10;
		this.marks.claimed("a", List.of(), false, START);
		this.marks.ended(true, new Elapsed(now, now + nanos));
		return looks;
	}

	/** A claim that fills its quota and takes a while, and whether it swept. */
	private boolean claim(long now, long nanos) {
		this.marks.sweepIfDue(now);
		boolean sweeps = share("a").after() == 0;
		this.marks.claimed("a", readyUpTo(10), true, now + nanos);
		this.marks.ended(true, new Elapsed(now, now + nanos));
		return sweeps;
	}

}
