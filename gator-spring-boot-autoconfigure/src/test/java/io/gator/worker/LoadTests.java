package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.spy;

class LoadTests {

	private static final int SLOTS = 10;

	private static final int ANY_SIZE = Integer.MAX_VALUE;

	private final FakeJobStore store = new FakeJobStore();

	private final Buffer buffer = spy(new Buffer());

	private final InFlight inFlight = new InFlight();

	private final Settler settler = new Settler("test", this.store, this.inFlight, WorkerMetrics.NONE,
			(work, queues, back) -> {
			});

	private final Prefetch prefetch = new Prefetch(() -> SLOTS, Duration.ofMillis(50).toNanos());

	private final Load load = load(Duration.ofMillis(50));

	private Load load(Duration time) {
		return new Load(TestSettings.slots(SLOTS).prefetch(time).get(), () -> SLOTS, this.buffer, this.inFlight,
				this.settler, this.prefetch);
	}

	private int room() {
		return this.load.room(ANY_SIZE);
	}

	private static List<Execution> claimed(int count) {
		return LongStream.rangeClosed(1, count).mapToObj((id) -> (Execution) new TestExecution(id)).toList();
	}

	/** Jobs of five milliseconds: a hundred are held. */
	private void knowTheJobs() {
		this.prefetch.ran(Duration.ofMillis(5).toNanos());
	}

	@Test
	void asLongAsNothingIsKnownThereIsRoomForASlotEach() {
		assertThat(room()).isEqualTo(SLOTS);
		this.load.add(claimed(7), Settlements.NOTHING);
		assertThat(room()).isEqualTo(3);
		assertThat(this.load.hasIdleSlot()).isTrue();
		this.load.add(claimed(3), Settlements.NOTHING);
		assertThat(room()).isZero();
		assertThat(this.load.hasIdleSlot()).isFalse();
		assertThat(this.load.unfinished()).isEqualTo(SLOTS);
		assertThat(this.load.buffered()).isEqualTo(SLOTS);
	}

	@Test
	void aSlotThatIsFreeMakesRoomWhetherItsJobIsSettledOrNot() {
		this.load.add(claimed(SLOTS), Settlements.NOTHING);
		assertThat(this.load.finished()).isEqualTo(SLOTS - 1);
		assertThat(room()).isOne();
		assertThat(this.inFlight.isEmpty()).isFalse();
	}

	@Test
	void aClaimIsNotWorthItBeforeHalfOfThePrefetchIsWorkedOff() {
		knowTheJobs();
		assertThat(room()).isEqualTo(SLOTS + 100);
		this.load.add(claimed(SLOTS + 100), Settlements.NOTHING);
		for (int i = 1; i < 50; i++) {
			this.load.finished();
			assertThat(room()).isZero();
			assertThat(this.load.isLow()).isFalse();
		}
		this.load.finished();
		assertThat(this.load.isLow()).isTrue();
		assertThat(room()).isEqualTo(50);
	}

	@Test
	void largeJobsAreHeldInAdvanceOnlyAsFarAsTheyMay() {
		knowTheJobs();
		assertThat(this.load.room(6)).isEqualTo(SLOTS + 6);
		this.load.add(claimed(SLOTS + 6), Settlements.NOTHING);
		this.load.finished();
		this.load.finished();
		assertThat(this.load.room(6)).as("less than half of them").isZero();
		this.load.finished();
		assertThat(this.load.room(6)).isEqualTo(3);
		assertThat(this.load.room(0)).as("more wait than may").isZero();
	}

	@Test
	void whatIsNotSettledSlowsClaimsDownOnceItHasBecomeMuch() {
		knowTheJobs();
		Execution execution = new TestExecution(1);
		for (int i = 0; i < 2 * Settler.BATCH; i++) {
			execution.run(this.settler);
		}
		assertThat(room()).isEqualTo(SLOTS + 100);
		for (int i = 0; i < 30; i++) {
			execution.run(this.settler);
		}
		assertThat(room()).isEqualTo(SLOTS + 70);
		for (int i = 0; i < 31; i++) {
			execution.run(this.settler);
		}
		assertThat(room()).as("less than half of the prefetch").isZero();
		this.settler.runOnce();
		assertThat(room()).as("when a batch is written").isEqualTo(SLOTS + 100);
	}

	@Test
	void workThatWaitsFarTooLongGoesBackToWhoeverHasASlot() {
		knowTheJobs();
		long now = System.nanoTime();
		TestExecution oldest = new TestExecution(1, now);
		this.load.add(List.of(oldest, new TestExecution(2, now + 5)), Settlements.NOTHING);
		long second = Duration.ofSeconds(1).toNanos();
		assertThat(this.load.untilStale(now + 1)).isEqualTo(second - 1);
		assertThat(this.load.releaseStale(now + second - 1)).isNull();
		assertThat(this.load.buffered()).isEqualTo(2);
		assertThat(this.load.releaseStale(now + second)).isSameAs(oldest);
		assertThat(room()).isEqualTo(SLOTS);
		assertThat(this.load.untilStale(now)).isEqualTo(Long.MAX_VALUE);
		assertThat(this.load.buffered()).isZero();
		assertThat(this.load.unfinished()).isZero();
		this.settler.runOnce();
		assertThat(this.store.writtenIds()).containsExactly(1L, 2L);
		assertThat(this.inFlight.isEmpty()).isTrue();
		assertThat(this.prefetch.target()).as("such jobs are not held any more").isZero();
	}

	@Test
	void workThatMayWaitIsKept() {
		Load patient = load(Duration.ofHours(1));
		long now = System.nanoTime();
		patient.add(List.of(new TestExecution(1, now)), Settlements.NOTHING);
		assertThat(patient.releaseStale(now + Duration.ofHours(19).toNanos())).isNull();
		assertThat(patient.room(ANY_SIZE)).isEqualTo(SLOTS - 1);
		assertThat(patient.buffered()).isOne();
	}

	@Test
	void whatIsTakenOnIsCheckedWhenItIsInFlightAndBeforeASlotCanStartIt() {
		List<Execution> claimed = claimed(3);
		AtomicInteger seen = new AtomicInteger();
		this.load.add(claimed, () -> {
			seen.set(this.inFlight.all().size());
			assertThat(this.load.buffered()).isZero();
		});
		assertThat(seen).hasValue(3);
		assertThat(this.load.buffered()).isEqualTo(3);
	}

	@Test
	void whatCannotBeTakenOnIsNotKnownAndTakesNoRoom() {
		List<Execution> claimed = new ArrayList<>(claimed(3));
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.load.add(claimed, () -> {
			throw new OutOfMemoryError();
		}));
		assertThat(this.inFlight.isEmpty()).isTrue();
		assertThat(this.load.unfinished()).isZero();
		// Its place in the buffer is refused.
		assertThatExceptionOfType(NullPointerException.class)
			.isThrownBy(() -> this.load.add(claimed, () -> claimed.set(2, null)));
		assertThat(this.inFlight.isEmpty()).isTrue();
		assertThat(this.load.unfinished()).isZero();
		assertThat(this.load.buffered()).isZero();
		assertThat(room()).isEqualTo(SLOTS);
	}

	@Test
	void aReleaseGivesBackWhatWasNotStarted() throws Exception {
		this.load.add(claimed(5), Settlements.NOTHING);
		assertThat(this.buffer.take()).isNotNull();
		assertThat(this.load.release()).isEqualTo(4);
		assertThat(this.load.unfinished()).isOne();
		this.settler.runOnce();
		assertThat(this.store.writtenIds()).containsExactly(2L, 3L, 4L, 5L);
		assertThat(this.inFlight.all()).extracting(Execution::describe).containsExactly("job 1");
	}

	/** Goes back when it is told to for the second time. */
	private static Execution reluctant() {
		AtomicBoolean refused = new AtomicBoolean();
		return new TestExecution(1) {
			@Override
			void release(Settlements settlements) {
				if (refused.compareAndSet(false, true)) {
					throw new OutOfMemoryError();
				}
				super.release(settlements);
			}
		};
	}

	@Test
	void whatCannotBeGivenBackGoesBackTheNextTimeWithAllOthers() {
		this.load.add(List.of(reluctant(), new TestExecution(2)), Settlements.NOTHING);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.load::release);
		assertThat(this.load.unfinished()).isEqualTo(2);
		assertThat(this.load.release()).isEqualTo(2);
		assertThat(this.load.unfinished()).isZero();
		this.settler.runOnce();
		assertThat(this.store.writtenIds()).containsExactlyInAnyOrder(1L, 2L);
	}

	@Test
	void whatCannotBeGivenBackIsNotForgottenWhereThereIsNoMemoryForItsPlaceInTheBuffer() {
		Execution reluctant = reluctant();
		this.load.add(List.of(reluctant), Settlements.NOTHING);
		willThrow(new OutOfMemoryError()).given(this.buffer).put(any());
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(this.load::release);
		assertThat(this.load.unfinished()).isOne();
		long stale = reluctant.claimedAtNanos() + Duration.ofSeconds(1).toNanos();
		assertThat(this.load.untilStale(stale)).isZero();
		assertThat(this.load.releaseStale(stale)).isSameAs(reluctant);
		assertThat(this.load.unfinished()).isZero();
		assertThat(this.load.untilStale(stale)).isEqualTo(Long.MAX_VALUE);
		this.settler.runOnce();
		assertThat(this.store.writtenIds()).containsExactly(1L);
	}

}
