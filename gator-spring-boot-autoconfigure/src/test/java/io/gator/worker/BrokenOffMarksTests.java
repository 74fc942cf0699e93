package io.gator.worker;

import java.util.List;
import java.util.Set;

import io.gator.store.JobStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where claims begin after one that took longer than a statement may.
 */
class BrokenOffMarksTests extends AbstractMarksTests {

	private static final long NEWEST = 50_000_000;

	private static final double NOW = 2_000_000_000;

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
	void aClaimThatIsBrokenOffAndSweptNothingPutsNoSweepOff() {
		claim(START, 0);
		this.marks.brokenOff(Set.of("a"), new Elapsed(START, START + 10 * SECOND));
		this.marks.sweepIfDue(START + 10 * SECOND);
		assertThat(share("a").after()).isZero();
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

}
