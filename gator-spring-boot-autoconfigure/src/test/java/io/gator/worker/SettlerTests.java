package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.store.Settlement;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When outcomes are written, and who hears of it. When the thread that does it wakes and
 * ends is the business of {@link SettlerLoopTests}. What is written of those that cannot
 * be written as they are is the business of {@link OutcomeWriterTests}.
 */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SettlerTests {

	private final FakeJobStore store = new FakeJobStore();

	private final InFlight inFlight = new InFlight();

	private final AtomicInteger settledSome = new AtomicInteger();

	private boolean work;

	private boolean back;

	private final Set<String> queues = new HashSet<>();

	private Runnable afterwards = () -> {
	};

	private final AtomicInteger settled = new AtomicInteger();

	private final AtomicInteger late = new AtomicInteger();

	private final List<String> dispatched = new ArrayList<>();

	private final List<Long> landed = Collections.synchronizedList(new ArrayList<>());

	private final Settler settler = new Settler("test", this.store, this.inFlight, new WorkerMetrics() {

		@Override
		public void settled(String pool, int jobs, long nanos) {
			SettlerTests.this.settled.addAndGet(jobs);
		}

		@Override
		public void leasesLost(String pool, int jobs) {
			SettlerTests.this.late.addAndGet(jobs);
		}

		@Override
		public void dispatched(String name, String queue, int jobs) {
			SettlerTests.this.dispatched.add(jobs + " " + name + " on " + queue);
		}

	}, (work, queues, back) -> {
		this.settledSome.incrementAndGet();
		this.work = work;
		this.back = back;
		this.queues.addAll(queues);
		this.afterwards.run();
	});

	private void succeed(long id) {
		settle(id, new Settlement.Succeeded(id, 1, "1", null));
	}

	private void die(long id, String error) {
		settle(id, new Settlement.Died(id, 1, error, true, null));
	}

	private void settle(long id, Settlement settlement) {
		TestExecution execution = new TestExecution(id);
		this.inFlight.add(List.of(execution));
		this.settler.settle(execution, settlement, () -> this.landed.add(id));
	}

	/** Nothing is pending, in flight or half told. */
	private void assertAllIsOver() {
		assertThat(this.settler.pending()).isZero();
		assertThat(this.inFlight.isEmpty()).isTrue();
	}

	@Test
	void aJobThatWasLostIsCountedAndNotInFlightAnyMore() {
		TestExecution execution = new TestExecution(1);
		this.inFlight.add(List.of(execution));
		this.settler.lost(execution);
		assertThat(this.late).hasValue(1);
		assertThat(this.store.asked).isEmpty();
		assertAllIsOver();
	}

	@Test
	void aThousandOutcomesAreWrittenInOneBatch() {
		for (int id = 1; id <= Settler.BATCH; id++) {
			succeed(id);
		}
		assertThat(this.settler.runOnce()).isEqualTo(Settler.BATCH);
		assertThat(this.store.written).singleElement().satisfies((batch) -> assertThat(batch).hasSize(Settler.BATCH));
		assertThat(this.landed).hasSize(Settler.BATCH);
		assertThat(this.settled).hasValue(Settler.BATCH);
		assertThat(this.settledSome).hasValue(1);
		assertAllIsOver();
	}

	@Test
	void fewOutcomesAreWrittenWhenTheFirstHasWaitedSomeMilliseconds() {
		succeed(1);
		long start = System.nanoTime();
		assertThat(this.settler.runOnce()).isOne();
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(4));
		assertThat(this.store.writtenIds()).containsExactly(1L);
	}

	@Test
	void aFlushDoesNotWaitForMore() {
		long shortest = Long.MAX_VALUE;
		for (int id = 1; id <= 50; id++) {
			succeed(id);
			this.settler.flush();
			long start = System.nanoTime();
			assertThat(this.settler.runOnce()).isOne();
			shortest = Math.min(shortest, System.nanoTime() - start);
		}
		assertThat(shortest).isLessThan(TimeUnit.MILLISECONDS.toNanos(4));
	}

	@Test
	void outcomesWaitForMoreAgainAfterAFlush() {
		succeed(1);
		this.settler.flush();
		this.settler.runOnce();
		succeed(2);
		long start = System.nanoTime();
		this.settler.runOnce();
		assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(4));
	}

	@Test
	void aBatchNeverHoldsMoreThanTwoThousandOutcomes() {
		for (int id = 1; id <= 4500; id++) {
			succeed(id);
		}
		assertThat(this.settler.runOnce()).isEqualTo(2000);
		assertThat(this.settler.pending()).isEqualTo(2500);
		assertThat(this.settler.runOnce()).isEqualTo(2000);
		assertThat(this.settler.runOnce()).isEqualTo(500);
		assertThat(this.store.writtenIds()).hasSize(4500).doesNotHaveDuplicates();
	}

	@Test
	void anOutcomeIsPendingUntilItIsWritten() {
		List<String> seen = new ArrayList<>();
		succeed(1);
		this.store.failures.add(StoreExceptions.passing());
		this.store.refused = (settlement) -> {
			seen.add(this.settler.pending() + " pending, landed " + this.landed + ", " + this.inFlight.isEmpty());
			return false;
		};
		this.settler.runOnce();
		assertThat(seen).containsExactly("1 pending, landed [], false");
		assertThat(this.landed).containsExactly(1L);
	}

	@Test
	void linksAreCountedAsDispatchedOnceTheyAreThere() {
		settle(1, new Settlement.Succeeded(1, 1, null, new Settlement.NextJob("a", "Next", "[]", null, null)));
		settle(2, new Settlement.Died(2, 1, "e", true, new Settlement.NextJob("b", "Undo", "[]", null, null)));
		settle(3, new Settlement.Succeeded(3, 1, null, new Settlement.NextJob("c", "Late", "[]", null, null)));
		this.store.lost.add(3L);
		this.settler.runOnce();
		TestExecution elsewhere = new TestExecution(4);
		this.inFlight.add(List.of(elsewhere));
		this.settler.settled(elsewhere,
				new Settlement.Succeeded(4, 1, null, new Settlement.NextJob("d", "After", "[]", null, null)));
		assertThat(this.dispatched).containsExactly("1 Next on a", "1 Undo on b", "1 After on d");
		assertThat(this.work).isTrue();
		assertAllIsOver();
	}

	@Test
	void retriesAndLinksAreWorkThatNobodyKnowsOf() {
		Settlement.NextJob link = new Settlement.NextJob("q", "Next", "[]", null, null);
		Map<Settlement, Boolean> each = Map.of(new Settlement.Succeeded(1, 1, null, null), false,
				new Settlement.Succeeded(2, 1, null, link), true,
				new Settlement.Requeued(3, 1, Duration.ZERO, null, null, true, 0), true,
				new Settlement.Requeued(4, 1, null, null, null, false, 0), false,
				new Settlement.Died(5, 1, "e", true, null), false, new Settlement.Died(6, 1, "e", true, link), true,
				new Settlement.Cancelled(7, 1, null), false);
		each.forEach((settlement, work) -> {
			settle(settlement.id(), settlement);
			this.settler.runOnce();
			assertThat(this.work).as(settlement.toString()).isEqualTo(work);
		});
	}

	@Test
	void jobsThatGoBackAreToldOf() {
		settle(1, new Settlement.Requeued(1, 1, null, null, null, false, 0));
		settle(2, new Settlement.Requeued(2, 1, Duration.ZERO, null, "e", true, 0));
		this.settler.runOnce();
		assertThat(this.back).isTrue();
		settle(3, new Settlement.Requeued(3, 1, Duration.ZERO, null, "e", true, 0));
		this.settler.runOnce();
		assertThat(this.back).isFalse();
	}

	@Test
	void theQueuesOfLinksAndMovedRetriesAreTold() {
		settle(1, new Settlement.Succeeded(1, 1, null, new Settlement.NextJob("a", "Next", "[]", null, null)));
		settle(2, new Settlement.Requeued(2, 1, Duration.ZERO, "b", null, true, 0));
		settle(3, new Settlement.Requeued(3, 1, Duration.ZERO, null, null, true, 0));
		this.settler.runOnce();
		assertThat(this.queues).containsExactlyInAnyOrder("a", "b");
		this.queues.clear();
		succeed(4);
		this.settler.runOnce();
		assertThat(this.queues).isEmpty();
	}

	@Test
	void aRowThatSomebodyHoldsHoldsNobodyUpAndIsWrittenWhenItIsFree() {
		for (int id = 1; id <= 5; id++) {
			succeed(id);
		}
		this.store.held.add(3L);
		this.store.failures.add(StoreExceptions.timeout());
		this.settler.runOnce();
		assertThat(this.landed).containsExactly(1L, 2L, 4L, 5L);
		this.store.held.clear();
		succeed(6);
		this.settler.runOnce();
		assertThat(this.landed).as("nobody looks for it with each batch").endsWith(6L).doesNotContain(3L);
		this.settler.runOnce();
		assertThat(this.landed).endsWith(3L);
		assertAllIsOver();
	}

	@Test
	void aRowIsNotAskedForAsLongAsSomebodyHoldsIt() {
		succeed(1);
		this.store.held.add(1L);
		this.store.failures.add(StoreExceptions.timeout());
		this.settler.runOnce();
		this.settler.runOnce();
		assertThat(this.store.asked).hasSize(1);
		assertThat(this.settler.pending()).isOne();
	}

	@Test
	void aResultThatComesTooLateIsCountedAndHasNotLanded() {
		succeed(1);
		succeed(2);
		succeed(3);
		this.store.lost.add(2L);
		this.settler.runOnce();
		assertThat(this.late).hasValue(1);
		assertThat(this.settled).hasValue(2);
		assertThat(this.landed).containsExactly(1L, 3L);
		assertAllIsOver();
	}

	@Test
	void whatDoesNotMatchAfterALostAnswerWasSettledByThatStatement() {
		succeed(1);
		succeed(2);
		this.store.failures.add(StoreExceptions.answerLost());
		this.store.lost.addAll(List.of(1L, 2L));
		this.store.over.addAll(List.of(1L, 2L));
		this.settler.runOnce();
		assertThat(this.late).hasValue(0);
		assertThat(this.landed).containsExactly(1L, 2L);
		assertAllIsOver();
	}

	@Test
	void whatIsStillLiveAfterALostAnswerIsLateBecauseAnotherPoolHasIt() {
		succeed(1);
		succeed(2);
		this.store.failures.add(StoreExceptions.answerLost());
		this.store.lost.addAll(List.of(1L, 2L));
		this.store.over.add(2L);
		this.settler.runOnce();
		assertThat(this.late).hasValue(1);
		assertThat(this.landed).containsExactly(2L);
		assertAllIsOver();
	}

	@Test
	void aRetryThatDoesNotMatchAfterALostAnswerIsTakenForWritten() {
		settle(1, new Settlement.Requeued(1, 1, Duration.ZERO, null, "e", true, 0));
		this.store.failures.add(StoreExceptions.answerLost());
		this.store.lost.add(1L);
		this.settler.runOnce();
		assertThat(this.late).hasValue(0);
		assertThat(this.landed).containsExactly(1L);
	}

	@Test
	void whatDoesNotMatchAfterALostAnswerIsTakenForWrittenWhereNobodyCanTell() {
		succeed(1);
		this.store.failures.add(StoreExceptions.answerLost());
		this.store.lost.add(1L);
		this.store.failuresOfLive.add(StoreExceptions.timeout());
		this.settler.runOnce();
		assertThat(this.late).hasValue(0);
		assertThat(this.landed).containsExactly(1L);
	}

	@Test
	void theOthersAreWrittenThoughThereIsNoMemoryToLookForWhatALostAnswerSaid() {
		succeed(1);
		settle(2, new Settlement.Cancelled(2, 1, null));
		this.store.failures.add(StoreExceptions.answerLost());
		this.store.lost.add(1L);
		this.store.failuresOfLive.add(new OutOfMemoryError("a test"));
		this.settler.runOnce();
		assertThat(this.store.writtenIds()).contains(2L);
		assertAllIsOver();
	}

	@Test
	void whatDoesNotMatchAfterAnErrorThatMayHaveComeWithTheAnswerIsNotLate() {
		succeed(1);
		this.store.failures.add(new OutOfMemoryError("a test"));
		this.store.lost.add(1L);
		this.store.over.addAll(List.of(1L));
		this.settler.runOnce();
		assertThat(this.late).hasValue(0);
		assertThat(this.landed).containsExactly(1L);
	}

	@Test
	void whatDoesNotMatchAfterAFailureThatSentNothingIsLate() {
		succeed(1);
		this.store.failures.add(StoreExceptions.passing());
		this.store.lost.add(1L);
		this.settler.runOnce();
		assertThat(this.late).hasValue(1);
		assertThat(this.landed).isEmpty();
	}

	@Test
	void whoMayBeSettledAlreadyAndIsOverIsToldSo() {
		List<String> told = new ArrayList<>();
		this.settler.settleUnlessDone(new TestExecution(1), new Settlement.Requeued(1, 1, null, null, null, true, 0),
				() -> told.add("1 was done"));
		this.settler.settleUnlessDone(new TestExecution(2), new Settlement.Requeued(2, 1, null, null, null, true, 0),
				() -> told.add("2 was done"));
		this.store.lost.add(1L);
		this.store.over.add(1L);
		this.settler.runOnce();
		assertThat(told).containsExactly("1 was done");
		assertThat(this.late).hasValue(0);
	}

	@Test
	void whatAnotherPoolHasTakenIsNotTakenForDone() {
		List<String> told = new ArrayList<>();
		this.settler.settleUnlessDone(new TestExecution(1), new Settlement.Requeued(1, 1, null, null, null, true, 0),
				() -> told.add("1 was done"));
		this.store.lost.add(1L);
		this.settler.runOnce();
		assertThat(told).isEmpty();
		assertThat(this.late).hasValue(1);
	}

	@Test
	void whoMayBeSettledAlreadyAndIsNotHasGoneBackWhereTheAnswerToThatWasLost() {
		List<String> told = new ArrayList<>();
		this.settler.settleUnlessDone(new TestExecution(1), new Settlement.Requeued(1, 1, null, null, null, true, 0),
				() -> told.add("1 was done"));
		this.store.failures.add(StoreExceptions.answerLost());
		this.store.lost.add(1L);
		this.settler.runOnce();
		assertThat(told).isEmpty();
		assertThat(this.late).hasValue(0);
	}

	@Test
	void whoeverThrowsWhenItHearsOfALandingKeepsNothingFromTheOthers() {
		AtomicInteger heard = new AtomicInteger();
		this.settler.settle(new TestExecution(1), new Settlement.Succeeded(1, 1, null, null), () -> {
			if (heard.incrementAndGet() == 1) {
				throw new StackOverflowError("not really");
			}
		});
		succeed(2);
		die(3, "e");
		this.settler.runOnce();
		assertThat(this.store.writtenIds()).containsExactly(1L, 2L, 3L);
		assertThat(this.landed).containsExactly(2L, 3L);
		assertThat(heard).hasValue(1);
		assertAllIsOver();
	}

	@Test
	void aPoolThatThrowsWhenItHearsOfWhatWasWrittenKeepsNothingFromTheOthers() {
		this.afterwards = () -> {
			throw new OutOfMemoryError("a test");
		};
		succeed(1);
		die(2, "e");
		this.settler.runOnce();
		assertThat(this.landed).containsExactly(1L, 2L);
		assertAllIsOver();
	}

}
