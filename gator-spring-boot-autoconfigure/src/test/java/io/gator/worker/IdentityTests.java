package io.gator.worker;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.gator.store.StoreException;
import io.gator.store.StoreExceptions;
import io.gator.store.WorkerStore;
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
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * What becomes of the identities that a pool gives up or leaves, and of what is reserved
 * under them.
 */
class IdentityTests extends AbstractMembershipTests {

	@Test
	void whereAnotherServerHasTakenThePlaceOfTheLastOneThePoolLooksForWhatThatHasLost() {
		Membership membership = membership();
		membership.beat(0);
		assertThat(membership.searches()).isEmpty();
		answer(new WorkerStore.Beat(true, Set.of(), Map.of(), false, "another"));
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
		Membership membership = membership(inFlight);
		inFlight.add(List.of(new TestExecution(1)));
		membership.renew();
		given(this.store.register(any())).willReturn(2L);
		membership.require();
		search(membership, Duration.ofSeconds(30));
		search(membership, Duration.ofSeconds(60));
		assertThat(membership.searches()).allMatch(LostJobSearch::isOver);
		answer(new WorkerStore.Beat(true, Set.of(), Map.of(), false, "another"));
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
		Membership membership = membership(inFlight);
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

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void whoLeavesWhileAnotherThreadBeatsForItHasNotLostItsJobs(CapturedOutput output) {
		Membership membership = membership();
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willAnswer((call) -> {
			membership.leave(true, System.nanoTime());
			return new WorkerStore.Beat(false, Set.of(), Map.of(), false, "");
		});
		membership.beat(0);
		assertThat(membership.isLive(ID)).isFalse();
		assertThat(output).doesNotContain("silent");
	}

	@Test
	void anIdentityThatCannotBeatIsNeverClaimedUnder() {
		given(this.store.beat(anyLong(), anyInt(), anyInt(), any(), any())).willThrow(StoreExceptions.passing());
		Membership membership = newMembership();
		assertThatExceptionOfType(StoreException.class).isThrownBy(membership::require);
		assertThat(membership.mayClaim(System.nanoTime())).isFalse();
		assertThat(membership.identities()).isEmpty();
		verify(this.store).retire(ID);
	}

	@Test
	void anIdentityWhoseRowIsGoneBeforeItsFirstBeatIsNeverClaimedUnder() {
		answer(new WorkerStore.Beat(false, Set.of(), Map.of(), false, ""));
		Membership membership = membership();
		assertThat(membership.mayClaim(System.nanoTime())).isFalse();
		assertThat(membership.identities()).isEmpty();
	}

	@Test
	void aPoolThatIsHeardDeletesItsRowWhenItLeaves() {
		membership().leave(true, System.nanoTime());
		verify(this.store).retire(ID);
	}

	@Test
	void aPoolUnderWhoseIdentityAClaimMayBeUnderWayLeavesItsRow() {
		membership().leave(false, System.nanoTime());
		verify(this.store, never()).retire(anyLong());
	}

	@Test
	void aPoolThatCouldNotSettleAllItsJobsLeavesItsRow() {
		given(this.store.register(any())).willReturn(1L);
		InFlight inFlight = new InFlight();
		Membership membership = membership(inFlight);
		inFlight.add(List.of(new TestExecution(5)));
		membership.leave(true, System.nanoTime());
		verify(this.store, never()).retire(anyLong());
	}

	@Test
	void anIdentityThatWasGivenUpBeatsWhileJobsRunUnderItAndIsRetiredWhenTheyHaveEnded() {
		given(this.store.register(any())).willReturn(1L);
		InFlight inFlight = new InFlight();
		Membership membership = membership(inFlight);
		TestExecution running = new TestExecution(5);
		inFlight.add(List.of(running));
		membership.renew();
		search(membership, Duration.ofSeconds(12));
		clearInvocations(this.store);
		membership.beat(3);
		verify(this.store, never()).retire(anyLong());
		verify(this.store).beat(eq(1L), anyInt(), eq(0), any(), any());
		assertThat(membership.isLive(1)).isTrue();
		inFlight.settled(running);
		membership.beat(0);
		verify(this.store).retire(1);
		assertThat(membership.isLive(1)).isFalse();
	}

	@Test
	void anIdentityUnderWhichSomethingMayStillBeReservedIsNotRetired() {
		Membership membership = membership();
		membership.renew();
		search(membership, Duration.ofMillis(10_500));
		membership.beat(0);
		membership.leave(true, System.nanoTime());
		verify(this.store, never()).retire(anyLong());
	}

	@Test
	void anIdentityWhoseSearchIsOverIsRetiredWhenThePoolLeaves() {
		Membership membership = membership();
		membership.renew();
		search(membership, Duration.ofMillis(11_100));
		membership.leave(true, System.nanoTime());
		verify(this.store).retire(ID);
	}

	@Test
	void anIdentityThatWasGivenUpKeepsItsRowWhenThePoolLeavesWithoutSettlingItsJobs() {
		given(this.store.register(any())).willReturn(1L);
		InFlight inFlight = new InFlight();
		Membership membership = membership(inFlight);
		inFlight.add(List.of(new TestExecution(5)));
		membership.renew();
		search(membership, Duration.ofSeconds(12));
		membership.leave(true, System.nanoTime());
		verify(this.store, never()).retire(anyLong());
	}

	@Test
	void anIdentityThatIsGivenUpTakesNoJobsOfAnotherWithIt() {
		InFlight inFlight = new InFlight();
		Membership membership = membership(inFlight);
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
		Membership membership = membership();
		membership.leave(true, System.nanoTime() + Duration.ofMillis(3_100).toNanos());
		assertThat(membership.identities()).isEmpty();
		verify(this.store, never()).retire(anyLong());
	}

	@Test
	void aPoolIsHeardForThreeOfItsBeatsAndForThreeSecondsAtLeast() {
		membership(Duration.ofSeconds(5), Duration.ofSeconds(30)).leave(true,
				System.nanoTime() + Duration.ofSeconds(14).toNanos());
		membership(Duration.ofMillis(100), Duration.ofSeconds(30)).leave(true,
				System.nanoTime() + Duration.ofSeconds(2).toNanos());
		verify(this.store, times(2)).retire(ID);
	}

}
