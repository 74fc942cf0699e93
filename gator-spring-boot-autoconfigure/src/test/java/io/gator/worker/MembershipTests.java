package io.gator.worker;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import io.gator.store.WorkerStore;
import io.gator.worker.PoolStatus.Trouble;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * P7: for how long a pool that is not heard may believe that nobody takes its jobs.
 */
class MembershipTests {

	private static final long ID = 7;

	private final WorkerStore store = TestWorkers.beating();

	@BeforeEach
	void answer() {
		given(this.store.register(any())).willReturn(ID);
	}

	@Test
	void whileItsLockIsHeldAPoolHasTwoThirdsOfItsLease() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		assertGivenUpAfter(membership, Duration.ofSeconds(20));
	}

	@Test
	void aBeatCountsFromWhenItWasSentHoweverLateItsAnswerCame() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		long[] taken = new long[1];
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willAnswer((call) -> {
			taken[0] = System.nanoTime();
			return new WorkerStore.Beat(true, Set.of(), Map.of(), false, "");
		});
		membership.beat(0);
		membership.fence(taken[0] + Duration.ofSeconds(20).toNanos());
		assertThat(membership.isLive(ID)).as("the database may have counted from just after that").isFalse();
	}

	@Test
	void aPoolThatWasNotHeardForHalfItsLeaseTakesOnNoMoreWork() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		long beat = System.nanoTime() - membership.silence(System.nanoTime());
		assertThat(membership.mayClaim(beat + Duration.ofMillis(14_900).toNanos())).isTrue();
		assertThat(membership.mayClaim(beat + Duration.ofMillis(15_100).toNanos()))
			.as("what it claims now would be stopped before long, and its attempt counted")
			.isFalse();
	}

	@Test
	void aPoolWhoseLockIsLostHasLessThanThreeBeats() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		membership.lockLost(ID, false);
		assertGivenUpAfter(membership, Duration.ofMillis(2_500));
	}

	@Test
	void aPoolWhoseSessionTheServerHasEndedHasLessThanTheTenSecondsThatOthersWait() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		membership.lockLost(ID, true);
		assertGivenUpAfter(membership, Duration.ofSeconds(9));
	}

	@Test
	void aPoolThatTheServerHasThrownOutIsNotWaitedFor() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		membership.lockLost(ID, true);
		given(this.store.isRefused()).willReturn(true);
		assertGivenUpAfter(membership, Duration.ofMillis(2_500));
	}

	@Test
	void aPoolThatTheServerHasHeardSinceIsNotWaitedForEither() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		membership.lockLost(ID, true);
		membership.beat(0);
		assertGivenUpAfter(membership, Duration.ofMillis(2_500));
	}

	@Test
	void aPoolThatHasAskedForItsLockAgainHasTwoThirdsOfItsLeaseAgain() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		membership.lockLost(ID, false);
		membership.lockAsked(ID);
		membership.beat(0);
		assertGivenUpAfter(membership, Duration.ofSeconds(20));
	}

	@Test
	void theLeaseIsTheLimitWhateverHasBecomeOfTheLock() {
		Membership membership = membership(Duration.ofMillis(600), Duration.ofSeconds(2));
		membership.lockLost(ID, true);
		assertGivenUpAfter(membership, Duration.ofSeconds(2).dividedBy(3).multipliedBy(2));
	}

	@Test
	void aPoolWaitsForItsLockBeforeItClaimsAndNotForLong() {
		long now = System.nanoTime();
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		assertThat(membership.awaitsLock(now)).isTrue();
		assertThat(membership.awaitsLock(now + Duration.ofMinutes(1).toNanos())).as("perhaps it cannot be had")
			.isFalse();
		membership.lockAsked(ID);
		assertThat(membership.awaitsLock(now)).isFalse();
	}

	@Test
	void whatWaitsForASlotIsStoppedBeforeTheHandlersWhoseSlotsWouldStartIt() throws Exception {
		given(this.store.register(any())).willReturn(1L);
		InFlight inFlight = new InFlight();
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30), inFlight);
		TestExecution running = new TestExecution(0);
		List<TestExecution> waiting = LongStream.rangeClosed(1, 200_000).mapToObj(TestExecution::new).toList();
		inFlight.add(Stream.concat(Stream.of(running), waiting.stream()).toList());
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<Long> left = CompletableFuture.supplyAsync(() -> {
			running.begin();
			begun.countDown();
			try {
				new CountDownLatch(1).await();
				return -1L;
			}
			catch (InterruptedException ex) {
				return waiting.stream().filter((execution) -> execution.stopReason() == null).count();
			}
		});
		begun.await();
		membership.fence(System.nanoTime() + Duration.ofMinutes(1).toNanos());
		assertThat(left.get(30, TimeUnit.SECONDS)).isZero();
	}

	@Test
	void whereAnotherServerHasTakenThePlaceOfTheLastOneThePoolLooksForWhatThatHasLost() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		membership.beat(0);
		assertThat(membership.searches()).isEmpty();
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any()))
			.willReturn(new WorkerStore.Beat(true, Set.of(), Map.of(), false, "another"));
		membership.beat(0);
		assertThat(membership.searches()).extracting(LostJobSearch::worker).containsExactly(ID);
		assertThat(membership.isLive(ID)).as("for what it runs").isTrue();
		given(this.store.register(any())).willReturn(ID + 1);
		membership.require();
		membership.beat(0);
		assertThat(membership.searches()).extracting(LostJobSearch::worker)
			.as("the new one is sound")
			.containsExactly(ID);
	}

	@Test
	void whatTheSearchHasFoundOnTheServerBeforeDoesNotCountOnTheNextOne() {
		InFlight inFlight = new InFlight();
		// It has a job to end, or it would be gone when its search is over.
		given(this.store.register(any())).willReturn(1L);
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30), inFlight);
		inFlight.add(List.of(new TestExecution(1)));
		membership.renew();
		given(this.store.register(any())).willReturn(2L);
		membership.require();
		search(membership, Duration.ofSeconds(30));
		search(membership, Duration.ofSeconds(60));
		assertThat(membership.searches()).allMatch(LostJobSearch::isOver);
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any()))
			.willReturn(new WorkerStore.Beat(true, Set.of(), Map.of(), false, "another"));
		membership.beat(0);
		assertThat(membership.searches())
			.allSatisfy((search) -> assertThat(search).returns(false, LostJobSearch::isOver)
				.returns(0L, (begun) -> begun.untilStep(System.nanoTime())))
			.extracting(LostJobSearch::worker)
			.as("of the former identity too")
			.containsExactlyInAnyOrder(1L, 2L);
	}

	@Test
	void anIdentityWhoseJobsCouldNotBeStoppedIsGivenUpAgain() {
		InFlight inFlight = mock(InFlight.class);
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30), inFlight);
		TestExecution execution = new TestExecution(1);
		given(inFlight.under(ID)).willThrow(new OutOfMemoryError()).willReturn(List.of(execution));
		long later = System.nanoTime() + Duration.ofMinutes(1).toNanos();
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> membership.fence(later));
		assertThat(membership.mayClaim(System.nanoTime())).as("under it").isFalse();
		assertThat(membership.searches()).as("or it would never be over, should a beat come first").hasSize(1);
		membership.fence(later);
		assertThat(membership.identities()).isEmpty();
	}

	@Test
	void anIdentityThatIsGivenUpWhileItIsReplacedDoesNotTakeTheNextOneAlong() {
		Identities identities = new Identities();
		Identity first = new Identity(1, 0, 0);
		Identity second = new Identity(2, 0, 0);
		identities.take(first);
		identities.drop(first);
		identities.take(second);
		identities.replace(first);
		identities.drop(first);
		assertThat(identities.current()).isSameAs(second);
		assertThat(identities.all()).containsExactly(second);
	}

	private Membership membership(Duration heartbeat, Duration lease) {
		return membership(heartbeat, lease, new InFlight());
	}

	@Test
	void beatsTellHowManySlotsThereAreNow() {
		AtomicInteger slots = new AtomicInteger(10);
		given(this.store.register(any())).willReturn(1L);
		Membership membership = newMembership(Duration.ofSeconds(1), Duration.ofSeconds(30), new InFlight(),
				slots::get);
		membership.require();
		slots.set(3);
		membership.beat(2);
		verify(this.store).beat(eq(1L), eq(3), eq(2), any(), any());
	}

	private Membership membership(Duration heartbeat, Duration lease, InFlight inFlight) {
		Membership membership = newMembership(heartbeat, lease, inFlight);
		membership.require();
		return membership;
	}

	private Membership newMembership(Duration heartbeat, Duration lease, InFlight inFlight) {
		return newMembership(heartbeat, lease, inFlight, () -> 10);
	}

	private Membership newMembership(Duration heartbeat, Duration lease, InFlight inFlight, IntSupplier slots) {
		WorkerStore.Registration registration = new WorkerStore.Registration("default", "here", 1, heartbeat, lease,
				Set.of(), Set.of(), 10);
		return new Membership(this.store, registration,
				new KnownQueues(this.store, TestSettings.slots(10).get(), Set.of()), inFlight, slots,
				Duration.ofSeconds(10), () -> true);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void whoLeavesWhileAnotherThreadBeatsForItHasNotLostItsJobs(CapturedOutput output) {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willAnswer((call) -> {
			membership.leave(true, System.nanoTime());
			return new WorkerStore.Beat(false, Set.of(), Map.of(), false, "");
		});
		membership.beat(0);
		assertThat(membership.isLive(ID)).isFalse();
		assertThat(output).doesNotContain("silent");
	}

	@Test
	void aBeatSaysWhichCancellationsItsPredecessorHasBrought() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		given(this.store.beat(ID, 10, 0, Set.of(), Set.of()))
			.willReturn(new WorkerStore.Beat(true, Set.of(5L, 7L), Map.of(), false, ""));
		membership.beat(0);
		membership.beat(0);
		verify(this.store).beat(ID, 10, 0, Set.of(), Set.of(5L, 7L));
	}

	@Test
	void anIdentityThatCannotBeatIsNeverClaimedUnder() {
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willThrow(StoreExceptions.passing());
		Membership membership = newMembership(Duration.ofSeconds(1), Duration.ofSeconds(30), new InFlight());
		assertThatExceptionOfType(StoreException.class).isThrownBy(membership::require);
		assertThat(membership.mayClaim(System.nanoTime())).isFalse();
		assertThat(membership.identities()).isEmpty();
		verify(this.store).retire(ID);
	}

	@Test
	void anIdentityWhoseRowIsGoneBeforeItsFirstBeatIsNeverClaimedUnder() {
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any()))
			.willReturn(new WorkerStore.Beat(false, Set.of(), Map.of(), false, ""));
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		assertThat(membership.mayClaim(System.nanoTime())).isFalse();
		assertThat(membership.identities()).isEmpty();
	}

	@Test
	void aPoolWhoseBeatsAreRefusedIsInTroubleAndClaimsNothingUntilOneIsTaken() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		assertThat(membership.trouble(System.nanoTime())).isNull();
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willThrow(StoreExceptions.configuration());
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> membership.beat(0));
		assertThat(membership.trouble(System.nanoTime())).returns(false, Trouble::passing);
		assertThat(membership.mayClaim(System.nanoTime())).isFalse();
		willReturn(new WorkerStore.Beat(true, Set.of(), Map.of(), false, "")).given(this.store)
			.beat(anyLong(), anyInt(), anyInt(), any(), any());
		membership.beat(0);
		assertThat(membership.trouble(System.nanoTime())).isNull();
		assertThat(membership.mayClaim(System.nanoTime())).isTrue();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void thatBeatsAreRefusedIsSaidAtOnceAndNotWithEach(CapturedOutput output) {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willThrow(StoreExceptions.configuration());
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> membership.beat(0));
		}
		assertThat(output.toString()).containsOnlyOnce("cannot beat, and claims nothing meanwhile");
	}

	@Test
	void aPoolThatHasGivenUpItsIdentityIsAsSilentAsBefore() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		long later = System.nanoTime() + Duration.ofSeconds(25).toNanos();
		membership.fence(later);
		assertThat(membership.isLive(ID)).isFalse();
		assertThat(membership.silence(later)).isGreaterThanOrEqualTo(Duration.ofSeconds(25).toNanos());
		membership.require();
		assertThat(membership.silence(later)).isLessThan(Duration.ofSeconds(25).toNanos());
	}

	@Test
	void aPoolThatIsHeardDeletesItsRowWhenItLeaves() {
		membership(Duration.ofSeconds(1), Duration.ofSeconds(30)).leave(true, System.nanoTime());
		verify(this.store).retire(ID);
	}

	@Test
	void aPoolUnderWhoseIdentityAClaimMayBeUnderWayLeavesItsRow() {
		membership(Duration.ofSeconds(1), Duration.ofSeconds(30)).leave(false, System.nanoTime());
		verify(this.store, never()).retire(anyLong());
	}

	@Test
	void aPoolThatCouldNotSettleAllItsJobsLeavesItsRow() {
		given(this.store.register(any())).willReturn(1L);
		InFlight inFlight = new InFlight();
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30), inFlight);
		inFlight.add(List.of(new TestExecution(5)));
		membership.leave(true, System.nanoTime());
		verify(this.store, never()).retire(anyLong());
	}

	@Test
	void anIdentityThatWasGivenUpBeatsWhileJobsRunUnderItAndIsRetiredWhenTheyHaveEnded() {
		given(this.store.register(any())).willReturn(1L);
		InFlight inFlight = new InFlight();
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30), inFlight);
		TestExecution running = new TestExecution(5);
		inFlight.add(List.of(running));
		membership.renew();
		search(membership, Duration.ofSeconds(12));
		clearInvocations(this.store);
		membership.beat(0);
		verify(this.store, never()).retire(anyLong());
		verify(this.store).beat(eq(1L), anyInt(), anyInt(), any(), any());
		assertThat(membership.isLive(1)).isTrue();
		inFlight.settled(running);
		membership.beat(0);
		verify(this.store).retire(1);
		assertThat(membership.isLive(1)).isFalse();
	}

	@Test
	void anIdentityUnderWhichSomethingMayStillBeReservedIsNotRetired() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		membership.renew();
		search(membership, Duration.ofSeconds(5));
		membership.beat(0);
		membership.leave(true, System.nanoTime());
		verify(this.store, never()).retire(anyLong());
	}

	@Test
	void anIdentityWhoseSearchIsOverIsRetiredWhenThePoolLeaves() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		membership.renew();
		search(membership, Duration.ofMillis(11_100));
		membership.leave(true, System.nanoTime());
		verify(this.store).retire(ID);
	}

	@Test
	void anIdentityThatWasGivenUpKeepsItsRowWhenThePoolLeavesWithoutSettlingItsJobs() {
		given(this.store.register(any())).willReturn(1L);
		InFlight inFlight = new InFlight();
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30), inFlight);
		inFlight.add(List.of(new TestExecution(5)));
		membership.renew();
		search(membership, Duration.ofSeconds(12));
		membership.leave(true, System.nanoTime());
		verify(this.store, never()).retire(anyLong());
	}

	@Test
	void anIdentityThatIsGivenUpTakesNoJobsOfAnotherWithIt() {
		InFlight inFlight = new InFlight();
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30), inFlight);
		TestExecution ofAnother = new TestExecution(5);
		inFlight.add(List.of(ofAnother));
		membership.fence(System.nanoTime() + Duration.ofMinutes(1).toNanos());
		assertThat(membership.isLive(ID)).isFalse();
		assertThat(ofAnother.stopReason()).isNull();
	}

	/** Look for lost claims, of which the server ends each within eleven seconds. */
	private static void search(Membership membership, Duration later) {
		FakeJobStore nothing = new FakeJobStore() {

			@Override
			public SearchStep releaseLost(long worker, Collection<Long> known, long page) {
				return new SearchStep(0, 0, 0);
			}

		};
		membership.searches().forEach((search) -> search.step(nothing, List.of(), System.nanoTime() + later.toNanos()));
	}

	@Test
	void aPoolThatIsNotHeardLeavesWithoutAskingTheDatabase() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		membership.leave(true, System.nanoTime() + Duration.ofMillis(3_100).toNanos());
		assertThat(membership.identities()).isEmpty();
		verify(this.store, never()).retire(anyLong());
	}

	@Test
	void aBeatThatFailsForAWhileIsNoTroubleWithinTheLease() {
		Membership membership = membership(Duration.ofSeconds(1), Duration.ofSeconds(30));
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willThrow(StoreExceptions.passing());
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> membership.beat(0));
		assertThat(membership.trouble(System.nanoTime())).isNull();
		assertThat(membership.mayClaim(System.nanoTime())).isTrue();
	}

	private static void assertGivenUpAfter(Membership membership, Duration silence) {
		long beat = System.nanoTime() - membership.silence(System.nanoTime());
		membership.fence(beat + silence.minusMillis(100).toNanos());
		assertThat(membership.isLive(ID)).isTrue();
		membership.fence(beat + silence.plusMillis(100).toNanos());
		assertThat(membership.isLive(ID)).isFalse();
	}

}
