package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.gator.store.Settlement;
import io.gator.store.StoreExceptions;
import io.gator.test.Unspeakable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is written of outcomes that cannot all be written as they are, and in which
 * pieces. When they are written is the business of {@link SettlerTests}.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class OutcomeWriterTests {

	private static final String UNWRITABLE = "(what came of it cannot be written)";

	private static final Settlement.NextJob LINK = new Settlement.NextJob("q", "Next", "[]", null, null);

	private final FakeJobStore store = new FakeJobStore();

	/** Whose outcomes were written, as what they were or as something else. */
	private final List<Long> written = new ArrayList<>();

	/** Those of them that may have been written by a statement without an answer. */
	private final List<Long> doubtful = new ArrayList<>();

	/** Those of them that were written as what they were. */
	private final List<Long> landed = new ArrayList<>();

	private final OutcomeWriter writer = new OutcomeWriter("test", this.store, WorkerMetrics.NONE, new Sleeper(),
			() -> false, (batch, lost, answerLost) -> batch.forEach((outcome) -> {
				this.written.add(outcome.settlement().id());
				if (answerLost) {
					this.doubtful.add(outcome.settlement().id());
				}
				outcome.landed().run();
			}));

	private Outcome outcome(Settlement settlement) {
		return outcome(new TestExecution(settlement.id()), settlement);
	}

	private Outcome outcome(Execution execution, Settlement settlement) {
		return new Outcome(execution, settlement, () -> this.landed.add(settlement.id()), null);
	}

	private void write(Settlement... settlements) {
		this.writer.write(Stream.of(settlements).map(this::outcome).toList());
	}

	/** Write successes. */
	private void succeed(long first, long last) {
		this.writer.write(LongStream.rangeClosed(first, last)
			.mapToObj((id) -> outcome(new Settlement.Succeeded(id, 1, "1", null)))
			.toList());
	}

	private static Settlement.Died died(long id, String error) {
		return new Settlement.Died(id, 1, error, true, null);
	}

	private List<Settlement> settlements() {
		return this.store.written.stream().flatMap(List::stream).toList();
	}

	/** In a minute, for which nothing else will have happened. */
	private PoolStatus.@Nullable Trouble laterTrouble() {
		return this.writer.trouble(System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
	}

	@Test
	void eachKindOfOutcomeIsWrittenByAStatementOfItsOwn() {
		write(new Settlement.Succeeded(1, 1, "1", null), died(2, "e"), new Settlement.Succeeded(3, 1, "1", null),
				new Settlement.Requeued(4, 1, null, null, null, false, 0), new Settlement.Cancelled(5, 1, null));
		assertThat(this.store.written).extracting((batch) -> batch.stream().map(Settlement::id).toList())
			.containsExactlyInAnyOrder(List.of(1L, 3L), List.of(2L), List.of(4L), List.of(5L));
	}

	@Test
	void outcomesAreKeptHoweverOftenTheDatabaseFails() {
		this.store.failures
			.addAll(List.of(new Unspeakable(), StoreExceptions.passing(), StoreExceptions.configuration(),
					new OutOfMemoryError("not really"), new IllegalStateException("a bug")));
		write(new Settlement.Succeeded(1, 1, "1", null), died(2, "e"));
		assertThat(this.store.asked).hasSize(7);
		assertThat(this.store.writtenIds()).containsExactly(1L, 2L);
		assertThat(this.landed).containsExactly(1L, 2L);
	}

	@Test
	void outcomesAreNotLostWhereThereIsNoMemoryToSortThem() {
		List<Outcome> batch = new ArrayList<>() {

			private boolean failed;

			@Override
			public Iterator<Outcome> iterator() {
				if (!this.failed) {
					this.failed = true;
					throw new OutOfMemoryError("none left");
				}
				return super.iterator();
			}

		};
		LongStream.rangeClosed(1, 3)
			.mapToObj((id) -> outcome(new Settlement.Succeeded(id, 1, null, null)))
			.forEach(batch::add);
		this.writer.write(batch);
		assertThat(this.store.writtenIds()).containsExactly(1L, 2L, 3L);
		assertThat(this.landed).hasSize(3);
	}

	@Test
	void aSettlementThatHangsIsATroubleUntilItsEnd() {
		List<Boolean> troubles = new ArrayList<>();
		this.store.refused = (settlement) -> {
			troubles.add(laterTrouble() != null);
			return false;
		};
		write(died(1, "e"));
		assertThat(troubles).isNotEmpty().doesNotContain(false);
		assertThat(laterTrouble()).isNull();
	}

	@Test
	void whileTheDatabaseIsAwayABatchStaysWhole() {
		this.store.failures.addAll(List.of(StoreExceptions.passing(), StoreExceptions.passing()));
		succeed(1, 2);
		assertThat(this.store.asked).extracting(List::size).containsExactly(2, 2, 2);
		assertThat(this.landed).containsExactly(1L, 2L);
	}

	@Test
	void aBatchThatTakesTooLongIsWrittenInHalves() {
		this.store.failures.addAll(List.of(StoreExceptions.timeout(), StoreExceptions.outOfMemory()));
		succeed(1, 4);
		assertThat(this.store.asked).extracting(List::size).containsExactly(4, 2, 1, 1, 2);
		assertThat(this.landed).containsExactly(1L, 2L, 3L, 4L);
	}

	@Test
	void aBatchForWhichThereIsNoMemoryIsWrittenInHalvesAndMayHaveBeenWrittenBefore() {
		this.store.failures.add(new OutOfMemoryError("a test"));
		succeed(1, 4);
		assertThat(this.store.asked).extracting(List::size).containsExactly(4, 2, 2);
		assertThat(this.doubtful).containsExactly(1L, 2L, 3L, 4L);
	}

	@Test
	void whatMayHaveBeenWrittenBeforeIsKnownWhereOneIsRefusedThenAndTheOthersAreWrittenApart() {
		this.store.failures.addAll(List.of(StoreExceptions.answerLost(), StoreExceptions.data()));
		succeed(1, 4);
		assertThat(this.store.asked).extracting(List::size).containsExactly(4, 2, 1, 1, 2);
		assertThat(this.doubtful).containsExactly(1L, 2L, 3L, 4L);
	}

	@Test
	void whatMayHaveBeenWrittenBeforeIsKnownWhereOneIsHeldThenAndTheOthersAreWrittenWithoutIt() {
		this.store.failures.addAll(List.of(StoreExceptions.answerLost(), StoreExceptions.timeout()));
		this.store.held.add(2L);
		succeed(1, 4);
		assertThat(this.store.asked).extracting(List::size).containsExactly(4, 2, 1, 2);
		assertThat(this.doubtful).containsExactly(1L, 3L, 4L);
	}

	@Test
	void whatMayHaveBeenWrittenBeforeIsKnownWhateverFailsAfterThat() {
		this.store.failures.addAll(List.of(StoreExceptions.answerLost(), StoreExceptions.passing()));
		succeed(1, 1);
		assertThat(this.doubtful).containsExactly(1L);
	}

	@Test
	void aValueThatIsRefusedIsWrittenWithLessAndTheOthersLandAsTheyAre() {
		this.store.refused = (settlement) -> settlement instanceof Settlement.Died died && "bad".equals(died.error());
		write(LongStream.rangeClosed(1, 16)
			.mapToObj((id) -> died(id, (id == 11) ? "bad" : "good " + id))
			.toArray(Settlement[]::new));
		assertThat(this.store.writtenIds()).hasSize(16).doesNotHaveDuplicates();
		assertThat(settlements()).contains(died(11, UNWRITABLE), died(12, "good 12"));
		assertThat(this.landed).hasSize(16);
	}

	@Test
	void aLogThatThrowsLosesNoOutcome() {
		this.store.refused = (settlement) -> settlement instanceof Settlement.Died died && "bad".equals(died.error());
		this.writer.write(LongStream.rangeClosed(1, 4).mapToObj((id) -> outcome(new TestExecution(id) {
			@Override
			String describe() {
				throw new Unspeakable();
			}
		}, died(id, "bad"))).toList());
		assertThat(this.store.writtenIds()).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
		assertThat(this.landed).hasSize(4);
	}

	@Test
	void anOutcomeOfAnyKindThatIsRefusedIsWrittenWithoutItsTextsAndWithAllElse() {
		this.store.refused = (settlement) -> settlement.toString().contains("bad");
		write(new Settlement.Succeeded(1, 1, "bad", LINK),
				new Settlement.Requeued(2, 2, Duration.ofSeconds(3), "q", "bad", true, 5),
				new Settlement.Died(3, 3, "bad", false, LINK), new Settlement.Cancelled(4, 4, "bad"));
		assertThat(settlements()).containsExactlyInAnyOrder(new Settlement.Succeeded(1, 1, null, LINK),
				new Settlement.Requeued(2, 2, Duration.ofSeconds(3), "q", UNWRITABLE, true, 5),
				new Settlement.Died(3, 3, UNWRITABLE, false, LINK), new Settlement.Cancelled(4, 4, null));
		assertThat(this.writer.kept()).isZero();
	}

	@Test
	void aJobWhoseOutcomeCannotBeWrittenInAnyOtherWayIsDead() {
		Settlement.NextJob bad = new Settlement.NextJob("q", "bad", "[]", null, null);
		this.store.refused = (settlement) -> settlement.toString().contains("bad");
		write(new Settlement.Succeeded(1, 1, "result", bad),
				new Settlement.Requeued(2, 2, Duration.ofDays(1), "bad", null, false, 0),
				new Settlement.Died(3, 3, "e", false, bad));
		assertThat(settlements()).containsExactlyInAnyOrder(new Settlement.Died(1, 1, UNWRITABLE, true, null),
				new Settlement.Died(2, 2, UNWRITABLE, true, null), new Settlement.Died(3, 3, UNWRITABLE, true, null));
		assertThat(this.written).containsExactlyInAnyOrder(1L, 2L, 3L);
		assertThat(this.landed).isEmpty();
	}

	@Test
	void whatCannotBeWrittenAtAllHoldsNobodyUpAndIsWrittenAsItWasWhenItCan() {
		this.store.refused = (settlement) -> settlement.id() == 3;
		succeed(1, 5);
		assertThat(this.landed).containsExactlyInAnyOrder(1L, 2L, 4L, 5L);
		assertThat(this.writer.kept()).isOne();
		this.store.refused = (settlement) -> false;
		this.writer.retry();
		assertThat(settlements()).endsWith(new Settlement.Succeeded(3, 1, "1", null));
		assertThat(this.landed).endsWith(3L);
		assertThat(this.writer.kept()).isZero();
	}

	@Test
	void whatIsTriedAgainAndRefusedAgainIsLeftAloneForLongerAndNotLoggedAgain(CapturedOutput output) {
		this.store.refused = (settlement) -> settlement.id() <= 4;
		succeed(3, 3);
		write(new Settlement.Cancelled(4, 1, null));
		this.writer.retry();
		assertThat(this.writer.untilRetry(System.nanoTime(), false)).isGreaterThan(TimeUnit.SECONDS.toNanos(1));
		assertThat(output).containsOnlyOnce("The outcome of job 3 is written without its texts")
			.containsOnlyOnce("The outcome of job 3 cannot be written")
			.containsOnlyOnce("The outcome of job 4 cannot be written");
		succeed(1, 1);
		assertThat(output)
			.contains("The outcome of job 1 is written without its texts", "The outcome of job 1 cannot be written")
			.containsOnlyOnce("they are kept and tried again");
	}

	@Test
	void aRowThatATriggerRefusesHoldsNobodyUpAndIsNotGivenUp() {
		this.store.refused = (settlement) -> settlement.id() == 3;
		this.store.refusal = StoreExceptions::trigger;
		succeed(1, 5);
		assertThat(this.landed).containsExactlyInAnyOrder(1L, 2L, 4L, 5L);
		this.writer.retry();
		assertThat(this.writer.kept()).as("it is refused again").isOne();
		this.store.refused = (settlement) -> false;
		this.writer.retry();
		assertThat(this.landed).endsWith(3L);
		assertThat(this.writer.kept()).isZero();
	}

	@Test
	void thatNothingIsWrittenBesideWhatIsSetAsideIsATrouble() {
		this.store.refused = (settlement) -> settlement.id() < 3;
		this.store.refusal = StoreExceptions::trigger;
		succeed(1, 2);
		long now = System.nanoTime();
		this.writer.retry();
		PoolStatus.Trouble trouble = this.writer.trouble(now + TimeUnit.MINUTES.toNanos(1));
		assertThat(trouble).isNotNull();
		assertThat(trouble.duration()).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
		succeed(3, 3);
		assertThat(laterTrouble()).isNull();
	}

	@Test
	void anOutageIsOverWhenSomethingIsWritten() {
		this.store.failures.add(StoreExceptions.passing());
		succeed(1, 1);
		assertThat(laterTrouble()).isNull();
	}

	@Test
	void aTimeoutForNoRowThatIsHeldIsWaitedFor() {
		this.store.failures.add(StoreExceptions.timeout());
		succeed(1, 1);
		assertThat(this.store.asked).hasSize(2);
		assertThat(this.landed).containsExactly(1L);
	}

	@Test
	void noMemoryToLookForRowsThatAreHeldLosesNothing() {
		this.store.held.add(1L);
		this.store.failures.addAll(List.of(StoreExceptions.timeout(), StoreExceptions.timeout()));
		this.store.errorsOfHeld.addAll(List.of(new OutOfMemoryError("a test"), new OutOfMemoryError("a test")));
		succeed(1, 2);
		assertThat(this.landed).containsExactly(1L, 2L);
	}

	@Test
	void noMemoryToLookForRowsThatAreHeldDoesNotLoseWhatIsSetAside() {
		this.store.held.add(1L);
		this.store.failures.add(StoreExceptions.timeout());
		succeed(1, 1);
		assertThat(this.writer.kept()).isOne();
		this.store.held.clear();
		this.store.errorsOfHeld.add(new OutOfMemoryError("a test"));
		this.writer.retry();
		this.writer.retry();
		assertThat(this.landed).containsExactly(1L);
		assertThat(this.writer.kept()).isZero();
	}

}
