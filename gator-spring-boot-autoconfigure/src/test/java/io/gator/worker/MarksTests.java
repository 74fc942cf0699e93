package io.gator.worker;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.gator.store.ClaimRequest;
import io.gator.store.JobStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.assertj.core.api.Assertions.within;

/**
 * Where claims begin.
 */
class MarksTests extends AbstractMarksTests {

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

}
