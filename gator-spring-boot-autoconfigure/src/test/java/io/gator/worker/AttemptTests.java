package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonCreator;
import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobBatch;
import io.gator.JobCancelledException;
import io.gator.JobSnoozedException;
import io.gator.OnDead;
import io.gator.RetryWith;
import io.gator.store.ClaimedJob;
import io.gator.store.Settlement;
import io.gator.worker.Execution.Stop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.MDC;

import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is written of attempts that end neither well nor with an exception of their
 * handler.
 */
class AttemptTests {

	private final List<AttemptOutcome> counted = new ArrayList<>();

	private final TestServices services = new TestServices(new FakeJobStore(), new WorkerMetrics() {

		@Override
		public void executed(String name, String queue, AttemptOutcome outcome, long nanos) {
			AttemptTests.this.counted.add(outcome);
		}

	}, Work.class, Dies.class, DiesInBatch.class, LeavesTransaction.class, Unreadable.class, TooLateBatch.class,
			Partial.class, Choosy.class, Halved.class, HalvedForLong.class, HalvedForEver.class);

	private final List<Settlement> settled = new ArrayList<>();

	private final TestSettlements settlements = new TestSettlements() {

		@Override
		public void settle(Execution execution, Settlement settlement, Runnable landed) {
			AttemptTests.this.settled.add(settlement);
		}

	};

	private static Runnable meanwhile = Settlements.NOTHING;

	private static final List<String> called = new ArrayList<>();

	AttemptTests() {
		called.clear();
		meanwhile = Settlements.NOTHING;
	}

	@AfterEach
	void close() {
		this.services.close();
	}

	private Execution execution(ClaimedJob... jobs) {
		var route = Objects.requireNonNull(this.services.get().routes().find(jobs[0].name()));
		return (route.buffered() != null)
				? new Batch(this.services.get(), List.of(jobs), route, 1, 0, new UncountedRun())
				: new Attempt(this.services.get(), jobs[0], route, 1, 0);
	}

	private void run(Execution execution) {
		execution.begin();
		execution.run(this.settlements);
		execution.end();
	}

	@Test
	void aHandlerThatHadItsTimeAndIsStillRunningWhenItsPoolEndsHadItsAttempt() {
		ClaimedJob job = TestClaimedJob.of(1, "Work").get();
		Execution execution = execution(job);
		execution.begin();
		execution.stop(Stop.TIMED_OUT);
		execution.stop(Stop.SHUTDOWN);
		execution.release(this.settlements);
		execution.end();
		assertThat(this.settled).singleElement()
			.isInstanceOfSatisfying(Settlement.Requeued.class,
					(back) -> assertThat(back).as("or it would have the same time again and again")
						.returns(true, Settlement.Requeued::charged)
						.extracting(Settlement.Requeued::error)
						.asString()
						.contains("did not end within its timeout"));
	}

	@Test
	void aHandlerThatIsStillRunningWhenItsPoolEndsHadNoAttempt() {
		ClaimedJob job = TestClaimedJob.of(1, "Work").get();
		Execution execution = execution(job);
		execution.begin();
		execution.stop(Stop.SHUTDOWN);
		execution.release(this.settlements);
		execution.end();
		assertThat(this.settled).containsExactly(Settlement.Requeued.released(job));
	}

	@Test
	void aHandlerThatReturnsAndLeavesATransactionOpenHasNotSucceeded() {
		run(execution(TestClaimedJob.of(1, "LeavesTransaction").get()));
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
		assertThat(this.settled).singleElement()
			.isInstanceOfSatisfying(Settlement.Died.class,
					(died) -> assertThat(died.error()).contains("left a transaction open, which is rolled back"));
	}

	@Test
	void aBatchWhoseHandlerReturnsAfterItsTimeHasFailed() {
		Execution execution = execution(TestClaimedJob.of(1, "TooLateBatch").args("[1]").get());
		meanwhile = () -> execution.stop(Stop.TIMED_OUT);
		run(execution);
		assertThat(this.settled).singleElement()
			.isInstanceOfSatisfying(Settlement.Died.class,
					(died) -> assertThat(died.error()).containsOnlyOnce("did not end within its timeout"));
	}

	@Test
	void anOnDeadThatSucceedsIsNotCalledAgainThoughThePoolEndsMeanwhile() {
		Execution execution = execution(single("Dies").get());
		meanwhile = () -> execution.stop(Stop.SHUTDOWN);
		run(execution);
		assertThat(this.settled).singleElement()
			.isInstanceOfSatisfying(Settlement.Died.class,
					(died) -> assertThat(died.error()).contains("refused").doesNotContain("@OnDead"));
	}

	@Test
	void anOnDeadThatLeavesATransactionOpenHasFailedAndLeavesItToNoOtherItem() {
		meanwhile = () -> {
			called.add("in a transaction: " + TransactionSynchronizationManager.isActualTransactionActive());
			TransactionSynchronizationManager.setActualTransactionActive(true);
		};
		run(execution(TestClaimedJob.of(1, "DiesInBatch").args("[\"no number\"]").get(),
				TestClaimedJob.of(2, "DiesInBatch").args("[2]").attempts(2).get()));
		assertThat(called).containsExactly("in a transaction: false", "in a transaction: false");
		assertThat(this.settled).hasSize(2)
			.first()
			.isInstanceOfSatisfying(Settlement.Died.class,
					(died) -> assertThat(died.error()).contains("@OnDead failed").contains("left a transaction open"));
	}

	@Test
	void aJobWhoseArgumentsCannotBeReadGoesBackIfThePoolEndsMeanwhile() {
		ClaimedJob job = TestClaimedJob.of(1, "Unreadable").args("[\"text\"]").get();
		Execution execution = execution(job);
		meanwhile = () -> execution.stop(Stop.SHUTDOWN);
		run(execution);
		assertThat(called).as("nothing is called any more").isEmpty();
		assertThat(this.settled).containsExactly(Settlement.Requeued.released(job));
		this.settled.clear();
		meanwhile = () -> {
		};
		run(execution(job));
		assertThat(called).containsExactly("made good");
		assertThat(this.settled).singleElement().isInstanceOf(Settlement.Died.class);
	}

	@Test
	void aJobWithoutAnAttemptIsDeadForTheReasonRecordedOrForThatIfThereIsNone() {
		run(execution(new ClaimedJob(1, "default", "Work", "[]", 2, 1, 0, Double.NaN, 0, false, true, null)));
		run(execution(new ClaimedJob(2, "default", "Work", "[]", 2, 1, 0, Double.NaN, 0, false, false, null)));
		assertThat(this.settled).hasSize(2)
			.allSatisfy((settlement) -> assertThat(settlement).isInstanceOfSatisfying(Settlement.Died.class,
					(died) -> assertThat(died.charged()).isFalse()));
		assertThat(((Settlement.Died) this.settled.get(0)).error()).as("the one in the row is kept").isNull();
		assertThat(((Settlement.Died) this.settled.get(1)).error()).contains("No attempt is left");
	}

	@Test
	void anItemWithoutAnAttemptIsDeadForTheReasonRecorded() {
		run(execution(new ClaimedJob(1, "default", "TooLateBatch", "[1]", 2, 1, 0, Double.NaN, 0, false, true, null)));
		assertThat(this.settled).singleElement()
			.isInstanceOfSatisfying(Settlement.Died.class,
					(died) -> assertThat(died).as("the one in the row is kept")
						.returns(null, Settlement.Died::error)
						.returns(false, Settlement.Died::charged));
	}

	@ParameterizedTest
	@CsvSource({ "Work", "TooLateBatch" })
	void aJobThatIsCancelledBeforeItBeginsIsOver(String name) {
		meanwhile = () -> called.add("handled");
		Execution execution = execution(single(name).get());
		execution.stop(Stop.CANCELLED);
		run(execution);
		run(execution(single(name).cancelRequested().get()));
		Settlement.Cancelled over = new Settlement.Cancelled(1, 1, null);
		assertThat(this.settled).containsExactly(over, over);
		assertThat(called).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "Work", "TooLateBatch" })
	void aJobWhosePoolEndsBeforeItBeginsGoesBack(String name) {
		meanwhile = () -> called.add("handled");
		Execution execution = execution(single(name).get());
		execution.stop(Stop.SHUTDOWN);
		run(execution);
		assertThat(this.settled).containsExactly(Settlement.Requeued.released(single(name).get()));
		assertThat(called).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "Work", "TooLateBatch" })
	void noHandlerBeginsWithTheInterruptThatAListenerHasLeft(String name) {
		meanwhile = () -> called.add("interrupted: " + Thread.currentThread().isInterrupted());
		Execution execution = execution(single(name).get());
		execution.begin();
		Thread.currentThread().interrupt();
		execution.run(this.settlements);
		execution.end();
		assertThat(called).containsExactly("interrupted: false");
	}

	@ParameterizedTest
	@CsvSource({ "Work", "TooLateBatch" })
	void noAttemptLeavesAnythingInTheLoggingContextOfItsThread(String name) {
		meanwhile = () -> called.add("id: " + MDC.get(MdcKeys.ID));
		run(execution(single(name).get()));
		assertThat(called).containsExactly("id: 1");
		assertThat(MDC.getCopyOfContextMap()).isNullOrEmpty();
	}

	@Test
	void itemsComeInTheOrderOfTheirDispatchAndOfEqualOnesAsManyFailAsAreSaidTo() {
		run(execution(partial(3, 7), partial(1, 5), partial(2, 5), partial(4, 5)));
		assertThat(called).containsExactly("[5, 5, 7, 5]");
		assertThat(this.settled).hasSize(4)
			.filteredOn(Settlement.Died.class::isInstance)
			.extracting(Settlement::id)
			.containsExactly(1L, 2L);
		assertThat(this.settled).filteredOn(Settlement.Succeeded.class::isInstance)
			.extracting(Settlement::id)
			.containsExactly(3L, 4L);
	}

	@Test
	void eachItemIsCountedOnceAsWhatHasBecomeOfIt() {
		run(execution(partial(1, 5), partial(2, 5), partial(3, 7),
				TestClaimedJob.of(4, "Partial").args("[5]").cancelRequested().get()));
		assertThat(this.counted).containsExactlyInAnyOrder(AttemptOutcome.DEAD, AttemptOutcome.DEAD,
				AttemptOutcome.SUCCEEDED, AttemptOutcome.CANCELLED);
	}

	@Test
	void anItemOfABatchMayBeSnoozedOrCancelledWithoutTheOthers() {
		ClaimedJob[] jobs = new ClaimedJob[3];
		for (int i = 0; i < 3; i++) {
			jobs[i] = TestClaimedJob.of(i, "Choosy").args("[" + i + "]").get();
		}
		run(execution(jobs));
		assertThat(this.settled).hasSize(3)
			.contains(Settlement.Requeued.snoozed(jobs[1], Duration.ofHours(1)))
			.anySatisfy((settlement) -> assertThat(settlement).isInstanceOf(Settlement.Succeeded.class)
				.returns(0L, Settlement::id))
			.anySatisfy((settlement) -> assertThat(settlement).isInstanceOf(Settlement.Cancelled.class)
				.returns(2L, Settlement::id));
	}

	private static TestClaimedJob single(String name) {
		return TestClaimedJob.of(1, name).args("TooLateBatch".equals(name) ? "[1]" : "[]");
	}

	private static ClaimedJob partial(long id, int number) {
		return TestClaimedJob.of(id, "Partial").args("[" + number + "]").get();
	}

	/** Halved has five retries, HalvedForLong forty, and their batches are of sixteen. */
	@ParameterizedTest
	@CsvSource({ "Halved, 1, 16, 0", "Halved, 1, 9, 9", "Halved, 2, 16, 8", "Halved, 2, 9, 5", "Halved, 3, 16, 4",
			"Halved, 4, 16, 2", "Halved, 5, 16, 1", "Halved, 5, 2, 1", "Halved, 1, 1, 1", "HalvedForLong, 8, 16, 8",
			"HalvedForEver, 1, 16, 0", "HalvedForEver, 100, 16, 8", "HalvedForEver, 100, 3, 2" })
	void aBatchThatFailsAsAWholeIsRetriedInPartsSoThatTheLastAttemptIsMadeAlone(String name, int attempt, int size,
			int limit) {
		ClaimedJob[] jobs = new ClaimedJob[size];
		for (int i = 0; i < size; i++) {
			jobs[i] = TestClaimedJob.of(i + 1, name).args("[" + i + "]").attempts(attempt).get();
		}
		run(execution(jobs));
		assertThat(this.settled).hasSize(size)
			.allSatisfy((settlement) -> assertThat(settlement).isInstanceOfSatisfying(Settlement.Requeued.class,
					(back) -> assertThat(back.batchLimit()).isEqualTo(limit)));
	}

	@Job
	static class Work {

		void handle() {
			meanwhile.run();
		}

	}

	@Job
	static class LeavesTransaction {

		void handle() {
			TransactionSynchronizationManager.setActualTransactionActive(true);
		}

	}

	@Job
	static class Unreadable {

		void handle(Strange strange) {
		}

		@OnDead
		void makeGood() {
			called.add("made good");
		}

	}

	@Job
	static class Dies {

		void handle() {
			throw new IllegalStateException("refused");
		}

		@OnDead
		void undo() {
			meanwhile.run();
		}

	}

	@Job
	@Buffered(maxWait = "0s")
	static class DiesInBatch {

		void handle(List<Integer> numbers) {
		}

		@OnDead
		void undo() {
			meanwhile.run();
		}

	}

	record Strange(String text) {

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		static Strange of(String text) {
			meanwhile.run();
			throw new IllegalArgumentException("never");
		}

	}

	@Job
	@Buffered(maxWait = "0s")
	static class TooLateBatch {

		void handle(List<Integer> numbers) {
			meanwhile.run();
		}

	}

	/** Fails the first two that are five. */
	@Job
	@Buffered(maxWait = "0s")
	static class Partial {

		void handle(JobBatch<Integer> numbers) {
			called.add(numbers.items().toString());
			try {
				numbers.items().clear();
			}
			catch (UnsupportedOperationException ex) {
				numbers.fail(5, new IllegalStateException("first"));
				numbers.fail(5, new IllegalStateException("second"));
			}
		}

	}

	/** Snoozes one item and cancels another. */
	@Job
	@Buffered(maxWait = "0s")
	static class Choosy {

		void handle(JobBatch<Integer> numbers) {
			numbers.fail(numbers.items().get(1), new JobSnoozedException(Duration.ofHours(1)));
			numbers.fail(numbers.items().get(2), new JobCancelledException("not any more"));
		}

	}

	@Job
	@Buffered(size = 16, maxWait = "0s")
	@RetryWith(maxRetries = 5)
	static class Halved {

		void handle(List<Integer> numbers) {
			throw new IllegalStateException("refused");
		}

	}

	@Job
	@Buffered(size = 16, maxWait = "0s")
	@RetryWith(maxRetries = 40)
	static class HalvedForLong {

		void handle(List<Integer> numbers) {
			throw new IllegalStateException("refused");
		}

	}

	@Job
	@Buffered(size = 16, maxWait = "0s")
	@RetryWith(maxRetries = RetryWith.UNLIMITED)
	static class HalvedForEver {

		void handle(List<Integer> numbers) {
			throw new IllegalStateException("refused");
		}

	}

}
