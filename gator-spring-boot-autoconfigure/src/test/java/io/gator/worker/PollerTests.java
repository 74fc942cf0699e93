package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.gator.Job;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import io.gator.worker.Execution.Stop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Where the claims of a pool begin to look, step by step.
 */
class PollerTests {

	private static final int SLOTS = 10;

	private static final Runnable NOTHING = () -> {
	};

	private static final PoolSettings SETTINGS = TestSettings.slots(SLOTS)
		.queues(Map.of("big", 1, "small", 1))
		.pollInterval(Duration.ofHours(1))
		.prefetch(Duration.ofMillis(50))
		.get();

	private final CountedQueues table = new CountedQueues();

	private final TestPoller poller = new TestPoller(SETTINGS, this.table, Work.class);

	@BeforeEach
	void claimForTheFirstTime() {
		this.table.waiting = Map.of("big", 100, "small", 2);
		assertThat(this.poller.runOnce()).as("goes on at once").isZero();
		assertThat(this.table.starts).as("what one leaves is asked of the other").containsEntry("big", 5L);
	}

	@AfterEach
	void close() {
		this.poller.close();
	}

	@Test
	void aJobThatFallsDueBehindAClaimIsClaimedAtOnce() {
		List<Double> times = new ArrayList<>();
		FakeJobStore store = new FakeJobStore() {

			@Override
			public List<ClaimedJob> claim(ClaimRequest request) {
				return List.of();
			}

			@Override
			public NextDue nextDue(Collection<String> names, Collection<String> queues, double since) {
				times.add(since);
				return new NextDue(42, (times.size() == 1) ? OptionalDouble.of(-0.005) : OptionalDouble.empty());
			}

		};
		try (TestPoller poller = new TestPoller(SETTINGS, store, Work.class)) {
			assertThat(poller.runOnce()).as("it goes on at once").isZero();
			poller.runOnce();
			assertThat(times).as("for what has fallen due since it times last")
				.containsExactly(Double.NEGATIVE_INFINITY, 42.0);
		}
	}

	@Test
	void aPoolThatServesAllQueuesSaysWhichTheseAreBeforeItClaims() {
		List<Collection<String>> told = new ArrayList<>();
		AtomicReference<TestPoller> claiming = new AtomicReference<>();
		FakeJobStore store = new FakeJobStore() {

			@Override
			public List<ClaimedJob> claim(ClaimRequest request) {
				told.add(claiming.get().told());
				return List.of();
			}

		};
		try (TestPoller poller = new TestPoller(TestSettings.slots(SLOTS).queues(Map.of()).get(), store, Work.class)) {
			claiming.set(poller);
			poller.use("mails");
			poller.runOnce();
			assertThat(told).containsExactly(List.of("mails"));
		}
	}

	@Test
	void aQueueThatIsCaughtUpIsLookedAtAmongTheLatestWhileAnotherOneFillsTheClaims() {
		claimUntilSmallIsLookedAtAmongTheLatest(SLOTS);
	}

	@Test
	void claimsThatAreFullBeforeTheyComeToAQueueSayNothingAboutIt() {
		claimUntilSmallIsLookedAtAmongTheLatest(1);
	}

	@Test
	void whereClaimsTakeLongMoreIsClaimedAheadToLastForThem() {
		CountedQueues far = new CountedQueues();
		far.waiting = Map.of("big", Integer.MAX_VALUE);
		far.claimNanos = Duration.ofMillis(100).toNanos();
		PoolSettings settings = TestSettings.slots(SLOTS)
			.queues(Map.of("big", 1))
			.prefetch(Duration.ofMillis(50))
			.get();
		try (TestPoller poller = new TestPoller(settings, far, Work.class)) {
			poller.learnOfJobs(Duration.ofMillis(10));
			for (int claim = 0; claim < 10; claim++) {
				poller.runOnce();
				poller.startClaimed();
				IntStream.range(0, far.totals.get(claim)).forEach((job) -> poller.finished());
			}
			assertThat(far.totals.get(0)).as("for the slots, and for 50 ms").isEqualTo(SLOTS + 50);
			assertThat(far.totals.get(9)).as("for the slots, and for two claims").isBetween(SLOTS + 190, SLOTS + 200);
		}
	}

	private void claimUntilSmallIsLookedAtAmongTheLatest(int room) {
		this.table.waiting = Map.of("big", Integer.MAX_VALUE, "small", 2);
		int claims = 0;
		do {
			workOff(room);
			assertThat(this.poller.runOnce()).as("goes on at once").isZero();
			claims++;
		}
		while (this.table.starts.get("small") > 0);
		assertThat(claims).as("in a tenth of the time: the first claim took two rounds")
			.isEqualTo(2 * (Marks.LOOK_SHARE - 1) + 1);
		assertThat(this.table.starts.get("big")).as("not from its beginning, which is a sweep").isPositive();
	}

	@Test
	void aClaimThatIsNotFullHasLookedAtAllQueuesAmongTheLatest() {
		// The next one would not.
		claimUntilSmallIsLookedAtAmongTheLatest(SLOTS);
		this.table.waiting = Map.of();
		workOff(SLOTS);
		assertThat(this.poller.runOnce()).as("nobody waits").isPositive();
		assertThat(this.table.starts).containsEntry("small", 0L);
	}

	@Test
	void aClaimThatIsNotFullLooksBehindTheMarksOfAQueueThatTheClaimBeforeHadFilled() {
		// Looks behind the marks, but not of a queue that may have more where it was.
		this.table.pass(Marks.LOOK_NANOS);
		this.table.waiting = Map.of();
		workOff(SLOTS);
		assertThat(this.poller.runOnce()).as("nobody waits").isPositive();
		assertThat(this.table.starts).containsEntry("big", 0L);
	}

	@Test
	void aClaimThatTookAllIsTheLastOneUntilSomebodySpeaks() {
		this.table.waiting = Map.of();
		workOff(SLOTS);
		assertThat(this.poller.runOnce()).isPositive();
		this.table.starts.clear();
		assertThat(this.poller.runOnce()).isPositive();
		assertThat(this.table.starts).as("no claim").isEmpty();
		this.poller.wake(List.of(""));
		this.poller.runOnce();
		assertThat(this.table.starts).as("a claim").isNotEmpty();
	}

	@Test
	void whatIsSaidWhileThereIsNoRoomIsNotForgotten() {
		this.table.starts.clear();
		this.poller.wake(List.of("small"));
		assertThat(this.poller.runOnce()).isPositive();
		assertThat(this.table.starts).as("no claim").isEmpty();
		workOff(SLOTS);
		this.poller.runOnce();
		assertThat(this.table.starts).as("a claim").isNotEmpty();
	}

	@Test
	void aLookForLostJobsThatFailsDoesNotKeepThePoolFromClaiming() {
		this.table.failures.add(StoreExceptions.answerLost());
		workOff(SLOTS);
		this.table.starts.clear();
		this.poller.loseAnswer();
		this.poller.runOnce();
		assertThat(this.table.failures).as("looked").isEmpty();
		assertThat(this.table.starts).as("a claim").isNotEmpty();
		this.poller.runOnce();
		assertThat(this.table.looks).as("the next look comes later").containsExactly(0L);
	}

	@Test
	void thePoolClaimsBetweenTheStepsOfALookForLostJobs() {
		this.table.lastPage = 2;
		this.poller.loseAnswer();
		for (int claims = 1; claims <= 3; claims++) {
			workOff(SLOTS);
			this.table.starts.clear();
			this.poller.runOnce();
			assertThat(this.table.looks).hasSize(claims);
			assertThat(this.table.starts).as("a claim").isNotEmpty();
		}
		this.poller.runOnce();
		assertThat(this.table.looks).containsExactly(0L, 1L, 2L);
	}

	@Test
	void aLookForLostJobsGoesOnAtOnceThoughThereIsNothingToClaim() {
		this.table.waiting = Map.of();
		this.table.lastPage = 1;
		workOff(SLOTS);
		this.poller.loseAnswer();
		assertThat(this.poller.runOnce()).isZero();
		assertThat(this.poller.runOnce()).as("polls are rarer than looks").isBetween(1L, TimeUnit.SECONDS.toNanos(1));
		assertThat(this.table.looks).containsExactly(0L, 1L);
	}

	@Test
	void whatALookForLostJobsReleasesIsClaimedAtOnce() {
		this.table.waiting = Map.of();
		workOff(SLOTS);
		this.poller.runOnce();
		this.poller.loseAnswer();
		this.table.released = 1;
		this.table.totals.clear();
		this.poller.runOnce();
		assertThat(this.table.totals).as("a claim").isNotEmpty();
	}

	@Test
	void aJobThatIsCancelledBeforeTheAnswerToItsClaimArrivesIsCancelledWhenItDoes() {
		long next = this.table.given.get("big") + 1;
		this.table.onClaim = () -> this.poller.cancel(1L, next);
		workOff(SLOTS);
		this.poller.runOnce();
		assertThat(this.poller.stopped(Stop.CANCELLED)).as("of the first claim, and of this one")
			.containsExactly(1L, next);
	}

	@Test
	void whatAClaimBringsThatIsAnsweredAfterTheStopIsStoppedAndGoesBack() {
		long next = this.table.given.get("big") + 1;
		this.table.onClaim = this.poller::stop;
		workOff(SLOTS);
		this.poller.runOnce();
		assertThat(this.poller.stopped(Stop.SHUTDOWN)).contains(next).doesNotContain(1L);
		assertThat(this.poller.waiting()).isZero();
		this.poller.settle();
		assertThat(this.table.writtenIds()).contains(next);
	}

	@Test
	void whatAClaimBringsThatIsAnsweredAfterItsIdentityWasGivenUpIsNotRun() {
		long next = this.table.given.get("big") + 1;
		this.table.onClaim = this.poller::fence;
		workOff(SLOTS);
		this.poller.runOnce();
		assertThat(this.poller.stopped(Stop.FENCED)).as("of the first claim, and of this one").contains(1L, next);
	}

	@Test
	void whoHasWalkedFarForNothingAsksNowAndThenWhereTheQueuesEnd() {
		this.table.waiting = Map.of();
		workOff(SLOTS);
		this.table.claimNanos = TimeUnit.MILLISECONDS.toNanos(21);
		claimForNothing();
		assertThat(this.table.endsAsked).as("one claim that takes long may have many reasons").isEmpty();
		claimForNothing();
		assertThat(this.table.endsAsked).containsExactlyInAnyOrder("big", "small");
		for (int claims = 1; claims < SingleClaims.FAR_CLAIMS; claims++) {
			claimForNothing();
			assertThat(this.table.endsAsked).as("in a minute, or if claims are many").hasSize(2);
		}
		claimForNothing();
		assertThat(this.table.endsAsked).containsExactlyInAnyOrder("big", "small", "big", "small");
	}

	@Test
	void aPoolClaimsAlsoWhereTheEndsOfItsQueuesAreNotFoundInTime() {
		this.table.waiting = Map.of();
		workOff(SLOTS);
		this.table.claimNanos = TimeUnit.MILLISECONDS.toNanos(21);
		claimForNothing();
		this.table.onEnds = () -> {
			throw StoreExceptions.timeout();
		};
		int claims = this.table.totals.size();
		claimForNothing();
		assertThat(this.table.endsAsked).isNotEmpty();
		assertThat(this.table.totals).hasSizeGreaterThan(claims);
	}

	private void claimForNothing() {
		this.poller.wake(List.of(""));
		this.poller.runOnce();
	}

	@Test
	void aSweepThatTakesTooLongIsNotRepeatedAtOnce() {
		this.table.pass(Marks.LAG_NANOS);
		workOff(SLOTS);
		this.table.onClaim = () -> this.table.pass(TimeUnit.SECONDS.toNanos(10));
		this.table.failures.add(StoreExceptions.timeout());
		this.table.starts.clear();
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.poller::runOnce);
		this.table.onClaim = NOTHING;
		this.poller.wake(List.of(""));
		this.poller.runOnce();
		assertThat(this.table.starts.get("big")).isPositive();
	}

	@Test
	void aQueueThatWasPausedIsClaimedFromWhereItWasOnceASweepWasBrokenOff() {
		workOff(SLOTS);
		this.poller.pause("big", true);
		claimForNothing();
		this.table.pass(Marks.LAG_NANOS);
		workOff(SLOTS);
		this.poller.pause("big", false);
		this.poller.wake(List.of(""));
		this.table.failures.add(StoreExceptions.timeout());
		assertThatExceptionOfType(StoreException.class).isThrownBy(this.poller::runOnce);
		this.table.starts.clear();
		claimForNothing();
		assertThat(this.table.starts.get("big")).isPositive();
	}

	/** A process that knew each queue there ever was would not last long. */
	@Test
	void nothingIsKeptOfAQueueThatNobodyUsesAnyMore() {
		CountedQueues queues = new CountedQueues();
		queues.waiting = Map.of("brief", 100);
		try (TestPoller all = new TestPoller(TestSettings.slots(SLOTS).queues(Map.of()).get(), queues, Work.class)) {
			all.use("brief");
			all.runOnce();
			all.wake(List.of());
			all.forget("brief");
			all.runOnce();
			all.use("brief");
			all.wake(List.of("brief"));
			workOff(all, SLOTS);
			queues.starts.clear();
			all.runOnce();
			assertThat(queues.starts).containsEntry("brief", 0L);
		}
	}

	@Test
	void aQueueOfThePoolThatIsForgottenIsNotPaused() {
		this.poller.learnOfShortJobs();
		this.table.waiting = Map.of("big", 10_000);
		workOff(SLOTS);
		this.poller.runOnce();
		int ahead = this.poller.waiting();
		this.poller.forget("big");
		this.poller.wake(List.of());
		this.poller.runOnce();
		assertThat(this.poller.waiting()).as("what was claimed does not go back").isGreaterThanOrEqualTo(ahead);
	}

	@Test
	void aQueueOfThePoolThatIsForgottenKeepsItsPlaceWhileAnotherOneIsPaused() {
		workOff(SLOTS);
		this.poller.forget("big");
		this.poller.pause("small", true);
		this.table.starts.clear();
		claimForNothing();
		assertThat(this.table.starts.get("big")).isPositive();
		assertThat(this.table.starts).doesNotContainKey("small");
	}

	@Test
	void anAnswerThatDoesNotFitIntoMemoryIsFollowedByClaimsOfFewerJobs() {
		workOff(SLOTS);
		this.table.failures.add(new OutOfMemoryError());
		this.table.totals.clear();
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.poller::runOnce);
		this.poller.wake(List.of(""));
		for (int claims = 0; claims < 4; claims++) {
			assertThat(this.poller.runOnce()).as("goes on at once").isZero();
		}
		assertThat(this.table.totals).as("a round for what the other queue has left among them")
			.containsExactly(SLOTS, 1, 2, 1, 4, 3);
	}

	@Test
	void aPoolThatWasNotHeardForHalfItsLeaseClaimsNothingUntilItIs() {
		workOff(SLOTS);
		this.table.starts.clear();
		long silence = SETTINGS.lease().toNanos() * 2 / 3;
		this.table.pass(silence);
		this.poller.wake(List.of("small"));
		assertThat(this.poller.runOnce()).as("looks again soon").isBetween(1L, TimeUnit.SECONDS.toNanos(1));
		assertThat(this.table.starts).as("no claim").isEmpty();
		this.table.pass(-silence);
		this.poller.runOnce();
		assertThat(this.table.starts).as("a claim").isNotEmpty();
	}

	@Test
	void whatWentBackIsClaimedOnceAndFromTheBeginningWhenASlotIsIdle() {
		this.table.waiting = Map.of();
		workOff(SLOTS);
		this.table.pass(Marks.LAG_NANOS);
		claimForNothing();
		claimForNothing();
		assertThat(this.table.starts).as("all is seen").containsEntry("big", 5L);
		this.table.pass(Marks.LAG_NANOS / 4);
		this.table.starts.clear();
		this.poller.wentBack();
		this.poller.runOnce();
		assertThat(this.table.starts).containsEntry("big", 0L);
		this.table.starts.clear();
		this.poller.runOnce();
		assertThat(this.table.starts).isEmpty();
	}

	@Test
	void whatWentBackIsNotClaimedAheadOfBusySlots() {
		this.poller.learnOfShortJobs();
		this.table.waiting = Map.of();
		this.poller.runOnce();
		this.poller.startClaimed();
		this.poller.wentBack();
		this.table.starts.clear();
		this.poller.runOnce();
		assertThat(this.table.starts).as("another pool may have an idle slot").isEmpty();
		this.poller.finished();
		this.poller.runOnce();
		assertThat(this.table.starts).isNotEmpty();
	}

	@Test
	void whatNoSlotHasStartedInTimeGoesBackThoughThereIsNoRoomForMore() throws Exception {
		this.poller.learnOfShortJobs();
		this.table.waiting = Map.of("big", 10_000);
		workOff(SLOTS);
		this.poller.runOnce();
		for (int slot = 0; slot < SLOTS; slot++) {
			this.poller.startOne();
		}
		assertThat(this.poller.waiting()).as("claimed ahead").isPositive();
		this.table.pass(this.poller.runOnce());
		this.poller.runOnce();
		assertThat(this.poller.waiting()).isZero();
	}

	@Test
	void largeJobsAreClaimedAheadOnlyAsFarAsTheyFitIntoTheHeap() {
		this.poller.learnOfShortJobs();
		this.table.waiting = Map.of("big", 10_000);
		this.table.args = "x".repeat(4 << 20);
		workOff(SLOTS);
		this.table.totals.clear();
		this.poller.runOnce();
		workOff(SLOTS + Prefetch.MAX_JOBS);
		this.poller.runOnce();
		ClaimSize same = new ClaimSize();
		same.answered(1, List.of(this.table.job("big")));
		assertThat(same.fitting()).isBetween(1, Prefetch.MAX_JOBS - 1);
		assertThat(this.table.totals).containsExactly(SLOTS + Prefetch.MAX_JOBS, SLOTS + same.fitting());
	}

	@Test
	void whatALateCommitHasLeftBehindTheMarksIsLookedForWithinASecondOfItsWakeUp() {
		workOff(SLOTS);
		this.table.waiting = Map.of();
		this.poller.runOnce();
		this.table.pass(Marks.LAG_NANOS);
		this.poller.wake(List.of("big"));
		assertThat(this.poller.runOnce()).as("a sweep has seen all").isGreaterThan(TimeUnit.MINUTES.toNanos(1));
		this.table.pass(Marks.LAG_NANOS / 4);
		this.poller.wake(List.of("big"));
		long sleep = this.poller.runOnce();
		assertThat(this.table.starts).containsEntry("big", 5L);
		assertThat(sleep).isLessThanOrEqualTo(Marks.LAG_NANOS);
		this.table.pass(sleep);
		sleep = this.poller.runOnce();
		assertThat(this.table.starts).as("from the beginning").containsEntry("big", 0L);
		assertThat(sleep).isGreaterThan(TimeUnit.MINUTES.toNanos(1));
	}

	private void workOff(int jobs) {
		workOff(this.poller, jobs);
	}

	private static void workOff(TestPoller poller, int jobs) {
		for (int i = 0; i < jobs; i++) {
			poller.finished();
		}
	}

	@Job
	static class Work {

		void handle() {
		}

	}

}
