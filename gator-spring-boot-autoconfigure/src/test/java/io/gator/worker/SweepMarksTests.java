package io.gator.worker;

import java.util.List;

import io.gator.store.ClaimRequest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * When claims begin at the beginning again, and what comes of that.
 */
class SweepMarksTests extends AbstractMarksTests {

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
	void aSweepThatFellDueWhileAClaimRanIsMadeAtOnce() {
		claim(START, 0);
		claim(START + SECOND - 2, 0);
		assertThat(this.marks.untilAllIsSeen(START + SECOND - 2, START + SECOND + 3)).isPositive();
		assertThat(this.marks.untilAllIsSeen(START + SECOND, START + SECOND + 3))
			.as("the claim that left these queues out owes them a sweep")
			.isZero();
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

}
