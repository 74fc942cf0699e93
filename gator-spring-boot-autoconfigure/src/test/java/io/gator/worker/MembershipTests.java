package io.gator.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import io.gator.store.WorkerStore;
import io.gator.worker.PoolStatus.Trouble;
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
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * P7: for how long a pool that is not heard may believe that nobody takes its jobs.
 */
class MembershipTests extends AbstractMembershipTests {

	@Test
	void whileItsLockIsHeldAPoolHasTwoThirdsOfItsLease() {
		Membership membership = membership();
		assertGivenUpAfter(membership, Duration.ofSeconds(20));
	}

	@Test
	void aBeatCountsFromWhenItWasSentHoweverLateItsAnswerCame() {
		Membership membership = membership();
		long[] taken = new long[1];
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willAnswer((call) -> {
			taken[0] = System.nanoTime();
			return new WorkerStore.Beat(true, Set.of(), Map.of(), false, "");
		});
		membership.beat(0);
		membership.fence(taken[0] + Duration.ofSeconds(20).toNanos());
		assertThat(membership.isLive(ID)).as("the database may have counted from just after that").isFalse();
		long minute = Duration.ofMinutes(1).toNanos();
		assertThat(membership.silence(taken[0] + minute)).isGreaterThanOrEqualTo(minute);
	}

	@Test
	void aPoolThatWasNotHeardForHalfItsLeaseTakesOnNoMoreWork() {
		Membership membership = membership();
		long beat = System.nanoTime() - membership.silence(System.nanoTime());
		assertThat(membership.mayClaim(beat + Duration.ofMillis(14_900).toNanos())).isTrue();
		assertThat(membership.mayClaim(beat + Duration.ofMillis(15_100).toNanos()))
			.as("what it claims now would be stopped before long, and its attempt counted")
			.isFalse();
	}

	@Test
	void aPoolWhoseLockIsLostHasLessThanThreeBeats() {
		Membership membership = membership();
		membership.lockLost(ID, false);
		assertGivenUpAfter(membership, Duration.ofMillis(2_500));
	}

	@Test
	void aPoolWhoseSessionTheServerHasEndedHasLessThanTheTenSecondsThatOthersWait() {
		Membership membership = membership();
		membership.lockLost(ID, true);
		assertGivenUpAfter(membership, Duration.ofSeconds(9));
	}

	@Test
	void aPoolThatBeatsSeldomHasLessThanThreeBeatsThoughTheServerHasEndedItsSession() {
		Membership membership = membership(Duration.ofSeconds(10), Duration.ofSeconds(60));
		membership.lockLost(ID, true);
		assertGivenUpAfter(membership, Duration.ofSeconds(25));
	}

	@Test
	void aPoolThatTheServerHasThrownOutIsNotWaitedFor() {
		Membership membership = membership();
		membership.lockLost(ID, true);
		given(this.store.isRefused()).willReturn(true);
		assertGivenUpAfter(membership, Duration.ofMillis(2_500));
	}

	@Test
	void aPoolThatTheServerHasHeardSinceIsNotWaitedForEither() {
		Membership membership = membership();
		membership.lockLost(ID, true);
		membership.beat(0);
		assertGivenUpAfter(membership, Duration.ofMillis(2_500));
	}

	@Test
	void aPoolThatHasAskedForItsLockAgainHasTwoThirdsOfItsLeaseAgain() {
		Membership membership = membership();
		membership.lockLost(ID, false);
		membership.lockAsked(ID);
		membership.beat(0);
		assertGivenUpAfter(membership, Duration.ofSeconds(20));
	}

	@Test
	void theLeaseIsTheLimitWhateverHasBecomeOfTheLock() {
		for (boolean ended : new boolean[] { true, false }) {
			Membership membership = membership(Duration.ofMillis(600), Duration.ofSeconds(2));
			membership.lockLost(ID, ended);
			assertGivenUpAfter(membership, Duration.ofSeconds(2).dividedBy(3).multipliedBy(2));
		}
	}

	@Test
	void aPoolWaitsForItsLockBeforeItClaimsAndNotForLong() {
		long now = System.nanoTime();
		Membership membership = membership();
		assertThat(membership.awaitsLock(now)).isTrue();
		assertThat(membership.awaitsLock(now + Duration.ofMinutes(1).toNanos())).as("perhaps it cannot be had")
			.isFalse();
		membership.lockAsked(ID);
		assertThat(membership.awaitsLock(now)).isFalse();
	}

	@Test
	void aPoolThatHasNoLockWaitsForNone() {
		this.lockExpected = false;
		Membership membership = membership();
		assertThat(membership.awaitsLock(System.nanoTime())).isFalse();
	}

	@Test
	void whatWaitsForASlotIsStoppedBeforeTheHandlersWhoseSlotsWouldStartIt() throws Exception {
		given(this.store.register(any())).willReturn(1L);
		InFlight inFlight = new InFlight();
		Membership membership = membership(inFlight);
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

	@Test
	void aFirstBeatThatTellsOfQueuesIsFollowedByOneThatSaysThatTheyAreServed() {
		answer(new WorkerStore.Beat(true, Set.of(), Map.of("a", false, "paused", true), false, ""));
		Membership membership = membership();
		verify(this.store).beat(ID, 10, 0, Set.of(), Set.of());
		verify(this.store).beat(ID, 10, 0, Set.of("a"), Set.of());
		assertThat(this.queues.all()).containsOnly(Map.entry("a", false), Map.entry("paused", true));
		membership.beat(0);
		verify(this.store, times(2)).beat(ID, 10, 0, Set.of("a"), Set.of());
	}

	@Test
	void aBeatTellsWhetherAnotherPoolHasMissedItsOwn() {
		Membership membership = membership();
		assertThat(membership.beat(0)).isFalse();
		answer(new WorkerStore.Beat(true, Set.of(), Map.of(), true, ""));
		assertThat(membership.beat(0)).isTrue();
	}

	@Test
	void aBeatBringsCancellationsAndTheNextOneSaysWhich() {
		InFlight inFlight = new InFlight();
		Membership membership = membership(inFlight);
		TestExecution cancelled = new TestExecution(5);
		inFlight.add(List.of(cancelled));
		given(this.store.beat(ID, 10, 0, Set.of(), Set.of()))
			.willReturn(new WorkerStore.Beat(true, Set.of(5L, 7L), Map.of(), false, ""));
		membership.beat(0);
		assertThat(cancelled.stopReason()).isEqualTo(Execution.Stop.CANCELLED);
		membership.beat(0);
		verify(this.store).beat(ID, 10, 0, Set.of(), Set.of(5L, 7L));
	}

	@Test
	void aPoolWhoseBeatsAreRefusedIsInTroubleAndClaimsNothingUntilOneIsTaken() {
		Membership membership = membership();
		assertThat(membership.trouble(System.nanoTime())).isNull();
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willThrow(StoreExceptions.configuration());
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> membership.beat(0));
		assertThat(membership.trouble(System.nanoTime())).returns(false, Trouble::passing);
		assertThat(membership.mayClaim(System.nanoTime())).isFalse();
		answer(new WorkerStore.Beat(true, Set.of(), Map.of(), false, ""));
		membership.beat(0);
		assertThat(membership.trouble(System.nanoTime())).isNull();
		assertThat(membership.mayClaim(System.nanoTime())).isTrue();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void thatBeatsAreRefusedIsSaidAtOnceAndNotWithEach(CapturedOutput output) {
		Membership membership = membership();
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willThrow(StoreExceptions.configuration());
		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> membership.beat(0));
		}
		assertThat(output.toString()).containsOnlyOnce("cannot beat, and claims nothing meanwhile");
	}

	@Test
	void aPoolThatWasNeverHeardHasNoSilence() {
		assertThat(newMembership().silence(System.nanoTime())).isNegative();
	}

	@Test
	void aPoolThatHasGivenUpItsIdentityIsAsSilentAsBefore() {
		Membership membership = membership();
		long later = System.nanoTime() + Duration.ofSeconds(25).toNanos();
		membership.fence(later);
		assertThat(membership.isLive(ID)).isFalse();
		assertThat(membership.silence(later)).isGreaterThanOrEqualTo(Duration.ofSeconds(25).toNanos());
		membership.require();
		assertThat(membership.silence(later)).isLessThan(Duration.ofSeconds(25).toNanos());
	}

	@Test
	void aPoolWhoseRowIsGoneIsAsSilentAsBefore() {
		Membership membership = membership();
		long later = System.nanoTime() + Duration.ofMinutes(1).toNanos();
		long silence = membership.silence(later);
		answer(new WorkerStore.Beat(false, Set.of(), Map.of(), false, ""));
		membership.beat(0);
		assertThat(membership.silence(later)).isEqualTo(silence);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void aBeatThatFailsForAWhileIsNoTroubleWithinTheLease(CapturedOutput output) {
		Membership membership = membership();
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willThrow(StoreExceptions.passing());
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> membership.beat(0));
		assertThat(membership.trouble(System.nanoTime())).isNull();
		assertThat(membership.mayClaim(System.nanoTime())).isTrue();
		assertThat(output).doesNotContain("cannot beat");
	}

	private static void assertGivenUpAfter(Membership membership, Duration silence) {
		long beat = System.nanoTime() - membership.silence(System.nanoTime());
		membership.fence(beat + silence.minusMillis(100).toNanos());
		assertThat(membership.isLive(ID)).isTrue();
		membership.fence(beat + silence.plusMillis(100).toNanos());
		assertThat(membership.isLive(ID)).isFalse();
	}

}
