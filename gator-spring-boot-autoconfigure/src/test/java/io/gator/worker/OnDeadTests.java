package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobBatch;
import io.gator.JobCancelledException;
import io.gator.JobContext;
import io.gator.JobSnoozedException;
import io.gator.OnDead;
import io.gator.store.ClaimedJob;
import io.gator.store.Settlement;
import io.gator.worker.Execution.Stop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When {@code @OnDead} is called, what may break it off, and what becomes of the job
 * then.
 */
class OnDeadTests {

	private final List<String> ended = new ArrayList<>();

	private final TestServices services = new TestServices(new FakeJobStore(), new WorkerMetrics() {

		@Override
		public void executed(String name, String queue, AttemptOutcome outcome, long nanos) {
			OnDeadTests.this.ended.add(name + " " + outcome);
		}

	}, Slow.class, SlowBatch.class, SlowPart.class, Waits.class, Deaf.class, DeafAndContent.class,
			DeafAndContentBatch.class, NeedsNothing.class, NeedsTheNumber.class, NeedsTheNumbers.class,
			NeedsTheLog.class, NeedsTheAttempt.class);

	private final Settled settled = new Settled();

	private static CountDownLatch making = new CountDownLatch(1);

	private static CountDownLatch goOn = new CountDownLatch(1);

	private static final List<Object> made = new ArrayList<>();

	OnDeadTests() {
		making = new CountDownLatch(1);
		goOn = new CountDownLatch(1);
		made.clear();
	}

	@AfterEach
	void close() {
		goOn.countDown();
		this.services.close();
	}

	private Execution execution(String name, ClaimedJob... jobs) {
		var route = Objects.requireNonNull(this.services.get().routes().find(name));
		return (route.buffered() != null)
				? new Batch(this.services.get(), List.of(jobs), route, 1, 0, new UncountedRun())
				: new Attempt(this.services.get(), jobs[0], route, 1, 0);
	}

	private static ClaimedJob job(long id, String name, String args, int attempts) {
		return TestClaimedJob.of(id, name).args(args).attempts(attempts).get();
	}

	private CompletableFuture<Void> run(Execution execution) {
		return CompletableFuture.runAsync(() -> {
			execution.begin();
			execution.run(this.settled);
			execution.end();
		});
	}

	private static void pass(CountDownLatch latch) throws InterruptedException {
		assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
	}

	private static void end(CompletableFuture<Void> run)
			throws ExecutionException, InterruptedException, TimeoutException {
		run.get(30, TimeUnit.SECONDS);
	}

	@Test
	void aCancellationThatComesTooLateDoesNotBreakOnDeadOff() throws Exception {
		for (Execution execution : List.of(execution("Slow", job(1, "Slow", "[]", 1)),
				execution("SlowBatch", job(2, "SlowBatch", "[2]", 1)))) {
			making = new CountDownLatch(1);
			goOn = new CountDownLatch(1);
			CompletableFuture<Void> run = run(execution);
			pass(making);
			assertThat(execution.stop(Stop.CANCELLED)).isFalse();
			goOn.countDown();
			end(run);
		}
		assertThat(made).containsExactly("Slow", "SlowBatch");
		assertThat(this.settled.all).hasSize(2)
			.allSatisfy((settlement) -> assertThat(settlement).isInstanceOfSatisfying(Settlement.Died.class,
					(died) -> assertThat(died.error()).contains("refused").doesNotContain("@OnDead")));
	}

	@Test
	void ifTheEndOfThePoolBreaksOnDeadOffTheJobIsNotDeadYetAndTheAttemptCounts() throws Exception {
		for (Execution execution : List.of(execution("Slow", job(1, "Slow", "[]", 1)),
				execution("SlowBatch", job(2, "SlowBatch", "[2]", 1)))) {
			making = new CountDownLatch(1);
			CompletableFuture<Void> run = run(execution);
			pass(making);
			assertThat(execution.stop(Stop.SHUTDOWN)).isTrue();
			end(run);
		}
		assertThat(made).isEmpty();
		assertThat(this.settled.all).hasSize(2);
		assertGoesBackCharged(0, 1);
		assertGoesBackCharged(1, 2);
	}

	@Test
	void aJobWithoutAnAttemptLeftIsNotChargedIfItsOnDeadIsBrokenOff() throws Exception {
		Execution execution = execution("Slow", job(1, "Slow", "[]", 2));
		CompletableFuture<Void> run = run(execution);
		pass(making);
		assertThat(execution.stop(Stop.FENCED)).isTrue();
		end(run);
		assertThat(this.settled.all).containsExactly(Settlement.Requeued.released(job(1, "Slow", "[]", 2)));
	}

	@Test
	void aJobThatIsGivenBackWhileItsOnDeadRunsHasBeenAttempted() throws Exception {
		Execution execution = execution("Slow", job(1, "Slow", "[]", 1));
		CompletableFuture<Void> run = run(execution);
		pass(making);
		execution.release(this.settled);
		assertGoesBackCharged(0, 1);
		goOn.countDown();
		end(run);
	}

	private void assertGoesBackCharged(int place, long id) {
		assertThat(this.settled.all.get(place)).isInstanceOfSatisfying(Settlement.Requeued.class, (requeued) -> {
			assertThat(requeued.id()).isEqualTo(id);
			assertThat(requeued.charged()).isTrue();
			assertThat(requeued.error()).contains("refused");
		});
	}

	@Test
	void aJobThatIsSettledDoesNotGoBackAnyMore() throws Exception {
		Execution execution = execution("NeedsNothing", job(1, "NeedsNothing", "[1]", 1));
		end(run(execution));
		execution.release(this.settled);
		assertThat(this.settled.all).containsExactly(new Settlement.Succeeded(1, 1, null, null));
	}

	@Test
	void aJobWithoutAnAttemptLeftIsNotChargedIfItIsGivenBackWhileItsOnDeadRuns() throws Exception {
		Execution execution = execution("Slow", job(1, "Slow", "[]", 2));
		CompletableFuture<Void> run = run(execution);
		pass(making);
		execution.release(this.settled);
		assertThat(this.settled.all).containsExactly(Settlement.Requeued.released(job(1, "Slow", "[]", 2)));
		goOn.countDown();
		end(run);
	}

	@Test
	void onDeadOfAJobWithoutAnAttemptLeftIsToldOfItsLastOne() {
		Execution execution = execution("NeedsTheAttempt", job(1, "NeedsTheAttempt", "[]", 2));
		execution.run(this.settled);
		assertThat(made).containsExactly("attempt 1, retries 0, logged as 1");
		assertThat(execution.describe()).contains("attempt 1");
	}

	@Test
	void onDeadIsNotCalledAnyMoreWhenTheHandlerWasStoppedWithThePool() throws Exception {
		for (Stop stop : List.of(Stop.SHUTDOWN, Stop.FENCED)) {
			Execution execution = execution("Waits", job(1, "Waits", "[1]", 1), job(2, "Waits", "[2]", 2),
					job(3, "Waits", "[{}]", 1));
			making = new CountDownLatch(1);
			CompletableFuture<Void> run = run(execution);
			pass(making);
			assertThat(execution.stop(stop)).isTrue();
			end(run);
		}
		assertThat(made).isEmpty();
		assertThat(this.settled.all).hasSize(6)
			.allSatisfy((settlement) -> assertThat(settlement).isInstanceOf(Settlement.Requeued.class))
			.endsWith(Settlement.Requeued.released(job(2, "Waits", "[2]", 2)),
					Settlement.Requeued.released(job(3, "Waits", "[{}]", 1)));
	}

	@Test
	void onDeadIsNotCalledWhenAHandlerThatHadTimedOutAndDidNotNoticeEndsAfterItsPool() throws Exception {
		for (Stop stop : List.of(Stop.SHUTDOWN, Stop.FENCED)) {
			making = new CountDownLatch(1);
			goOn = new CountDownLatch(1);
			Execution execution = execution("Deaf", job(1, "Deaf", "[]", 1));
			CompletableFuture<Void> run = run(execution);
			pass(making);
			assertThat(execution.stop(Stop.TIMED_OUT)).isTrue();
			assertThat(execution.stop(stop)).isTrue();
			goOn.countDown();
			end(run);
		}
		assertThat(made).isEmpty();
		assertThat(this.settled.all).hasSize(2)
			.allSatisfy((settlement) -> assertThat(settlement).isInstanceOfSatisfying(Settlement.Requeued.class,
					(requeued) -> assertThat(requeued.charged()).isTrue()));
	}

	@Test
	void aHandlerThatReturnsAfterItsTimeHasFailedThoughThePoolEndedMeanwhile() throws Exception {
		for (String name : List.of("DeafAndContent", "DeafAndContentBatch")) {
			making = new CountDownLatch(1);
			goOn = new CountDownLatch(1);
			Execution execution = execution(name, job(1, name, "[1]", 1));
			CompletableFuture<Void> run = run(execution);
			pass(making);
			assertThat(execution.stop(Stop.TIMED_OUT)).isTrue();
			assertThat(execution.stop(Stop.SHUTDOWN)).isTrue();
			goOn.countDown();
			end(run);
		}
		assertThat(this.settled.all).hasSize(2)
			.allSatisfy((settlement) -> assertThat(settlement).isInstanceOfSatisfying(Settlement.Requeued.class,
					(requeued) -> assertThat(requeued.charged()).isTrue()));
	}

	@Test
	void anOnDeadThatTheEndOfThePoolHasBrokenOffIsNotCalledForTheOthersOfTheBatch() throws Exception {
		Execution execution = execution("SlowBatch", job(1, "SlowBatch", "[1]", 1), job(2, "SlowBatch", "[2]", 2));
		CompletableFuture<Void> run = run(execution);
		pass(making);
		assertThat(execution.stop(Stop.SHUTDOWN)).isTrue();
		goOn.countDown();
		end(run);
		assertThat(made).isEmpty();
		assertThat(this.settled.all).hasSize(2).endsWith(Settlement.Requeued.released(job(2, "SlowBatch", "[2]", 2)));
		assertGoesBackCharged(0, 1);
	}

	@Test
	void aSnoozeInAnswerToATimeoutIsAFailureAndACancellationIsNone() {
		Execution execution = execution("NeedsNothing", job(1, "NeedsNothing", "[1]", 1));
		var route = Objects.requireNonNull(this.services.get().routes().find("NeedsNothing"));
		ClaimedContext context = new ClaimedContext(execution, job(1, "NeedsNothing", "[1]", 1));
		JobSnoozedException snooze = new JobSnoozedException(Duration.ofSeconds(1));
		Throwable error = Verdict.errorOf(route, snooze, Stop.TIMED_OUT);
		assertThat(error).isInstanceOf(JobTimeoutException.class).hasCause(snooze);
		assertThat(Verdict.of(context, route, error, Stop.TIMED_OUT, 0).outcome()).isEqualTo(AttemptOutcome.DEAD);
		assertThat(Verdict.of(context, route, snooze, null, 0).outcome()).isEqualTo(AttemptOutcome.SNOOZED);
		Throwable cancelled = Verdict.errorOf(route, new JobCancelledException("enough"), Stop.TIMED_OUT);
		assertThat(Verdict.of(context, route, cancelled, Stop.TIMED_OUT, 0).outcome())
			.isEqualTo(AttemptOutcome.CANCELLED);
	}

	@Test
	void whatIsSettledOfABatchIsNotGivenBackWithTheRest() throws Exception {
		Execution execution = execution("SlowPart", job(1, "SlowPart", "[1]", 1), job(2, "SlowPart", "[-2]", 1),
				job(3, "SlowPart", "[3]", 1));
		CompletableFuture<Void> run = run(execution);
		pass(making);
		execution.release(this.settled);
		assertThat(this.settled.all).hasSize(3)
			.startsWith(new Settlement.Succeeded(1, 1, null, null), new Settlement.Succeeded(3, 1, null, null));
		assertGoesBackCharged(2, 2);
		goOn.countDown();
		end(run);
	}

	@Test
	void onDeadIsCalledThoughTheArgumentsCannotBeReadIfItDoesNotNeedThem() {
		execution("NeedsNothing", job(1, "NeedsNothing", "[{}]", 1)).run(this.settled);
		assertThat(made).containsExactly("1");
		assertThat(this.settled.all).singleElement()
			.isInstanceOfSatisfying(Settlement.Died.class,
					(died) -> assertThat(died.error()).doesNotContain("@OnDead"));
	}

	@Test
	void onDeadIsNotCalledForArgumentsThatCannotBeReadAndThatIsRecorded() {
		execution("NeedsTheNumber", job(1, "NeedsTheNumber", "[{}]", 1)).run(this.settled);
		execution("NeedsTheNumbers", job(2, "NeedsTheNumbers", "[{}]", 1)).run(this.settled);
		assertThat(made).isEmpty();
		assertThat(this.settled.all).hasSize(2)
			.allSatisfy((settlement) -> assertThat(settlement).isInstanceOfSatisfying(Settlement.Died.class,
					(died) -> assertThat(died.error()).contains("Unreadable").contains("@OnDead was not called")));
	}

	@Test
	void onDeadOfABatchIsCalledForTheItemsThatCanBeRead() {
		execution("NeedsTheNumbers", job(1, "NeedsTheNumbers", "[1]", 2), job(2, "NeedsTheNumbers", "[{}]", 2),
				job(3, "NeedsTheNumbers", "[3]", 2))
			.run(this.settled);
		assertThat(made).containsExactly(List.of(1, 3));
		assertThat(this.settled.all).hasSize(3)
			.allSatisfy((settlement) -> assertThat(settlement).isInstanceOf(Settlement.Died.class));
	}

	@Test
	void onDeadOfABatchIsLoggedAsOfTheFirstItemThatItIsCalledFor() {
		execution("NeedsTheLog", job(1, "NeedsTheLog", "[1]", 1), job(2, "NeedsTheLog", "[2]", 2)).run(this.settled);
		assertThat(made).containsExactly("job 2, attempt 1");
	}

	@Test
	void whereOnDeadEndsOneProcessAfterTheOtherItIsNotCalledAnyMore() {
		execution("NeedsNothing", job(1, "NeedsNothing", "[1]", 4)).run(this.settled);
		assertThat(made).containsExactly("1");
		execution("NeedsNothing", job(2, "NeedsNothing", "[1]", 5)).run(this.settled);
		execution("NeedsTheNumbers", job(3, "NeedsTheNumbers", "[3]", 5), job(4, "NeedsTheNumbers", "[4]", 2))
			.run(this.settled);
		assertThat(made).containsExactly("1", List.of(4));
		assertThat(this.settled.all).allSatisfy((settlement) -> assertThat(settlement)
			.isInstanceOfSatisfying(Settlement.Died.class, (died) -> assertThat(String.valueOf(died.error())).matches((
					error) -> error.contains("@OnDead is not called any more") == Set.of(2L, 3L).contains(died.id()))));
		assertThat(this.settled.all).hasSize(4);
	}

	@Test
	void whoDiesOrIsCancelledBeforeItsHandlerIsCalledIsCounted() {
		execution("NeedsNothing", job(1, "NeedsNothing", "[1]", 2)).run(this.settled);
		execution("NeedsTheNumbers", job(2, "NeedsTheNumbers", "[1]", 2), job(3, "NeedsTheNumbers", "[{}]", 1))
			.run(this.settled);
		Execution cancelled = execution("NeedsNothing", job(4, "NeedsNothing", "[1]", 1));
		cancelled.stop(Stop.CANCELLED);
		cancelled.run(this.settled);
		assertThat(this.ended).containsExactly("NeedsNothing DEAD", "NeedsTheNumbers DEAD", "NeedsTheNumbers DEAD",
				"NeedsNothing CANCELLED");
	}

	private static void makeGood(String name) throws InterruptedException {
		making.countDown();
		pass(goOn);
		made.add(name);
	}

	private static void awaitDeaf() {
		making.countDown();
		boolean interrupted;
		do {
			try {
				goOn.await();
				interrupted = false;
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		while (interrupted);
	}

	@Job
	static class DeafAndContent {

		void handle(int number) {
			awaitDeaf();
		}

	}

	@Job
	@Buffered
	static class DeafAndContentBatch {

		void handle(List<Integer> numbers) {
			awaitDeaf();
		}

	}

	@Job
	static class Slow {

		void handle() {
			throw new IllegalStateException("refused");
		}

		@OnDead
		void undo() throws InterruptedException {
			makeGood("Slow");
		}

	}

	@Job
	@Buffered
	static class SlowBatch {

		void handle(List<Integer> numbers) {
			throw new IllegalStateException("refused");
		}

		@OnDead
		void undo(List<Integer> numbers) throws InterruptedException {
			makeGood("SlowBatch");
		}

	}

	@Job
	@Buffered
	static class SlowPart {

		void handle(JobBatch<Integer> batch) {
			batch.items()
				.stream()
				.filter((number) -> number < 0)
				.forEach((number) -> batch.fail(number, new IllegalStateException("refused")));
		}

		@OnDead
		void undo(List<Integer> numbers) throws InterruptedException {
			makeGood("SlowPart");
		}

	}

	@Job
	@Buffered
	static class Waits {

		void handle(List<Integer> numbers) throws InterruptedException {
			making.countDown();
			new CountDownLatch(1).await();
		}

		@OnDead
		void undo(List<Integer> numbers) {
			made.add(numbers);
		}

	}

	@Job
	static class Deaf {

		void handle() {
			awaitDeaf();
			throw new IllegalStateException("refused");
		}

		@OnDead
		void undo() {
			made.add("Deaf");
		}

	}

	@Job
	static class NeedsNothing {

		void handle(int number) {
		}

		@OnDead
		void undo(Throwable error, JobContext context) {
			made.add(Long.toString(context.id()));
		}

	}

	@Job
	static class NeedsTheAttempt {

		void handle() {
		}

		@OnDead
		void undo(JobContext context) {
			made.add("attempt " + context.attempt() + ", retries " + context.retryCount() + ", logged as "
					+ MDC.get(MdcKeys.ATTEMPT));
		}

	}

	@Job
	@Buffered
	static class NeedsTheLog {

		void handle(List<Integer> numbers) {
		}

		@OnDead
		void undo() {
			made.add("job " + MDC.get(MdcKeys.ID) + ", attempt " + MDC.get(MdcKeys.ATTEMPT));
		}

	}

	@Job
	static class NeedsTheNumber {

		void handle(int number) {
		}

		@OnDead
		void undo(int number) {
			made.add(number);
		}

	}

	@Job
	@Buffered
	static class NeedsTheNumbers {

		void handle(List<Integer> numbers) {
		}

		@OnDead
		void undo(List<Integer> numbers) {
			made.add(numbers);
		}

	}

	/** Keeps the settlements. */
	private static final class Settled implements Settlements {

		private final List<Settlement> all = new ArrayList<>();

		@Override
		public void settle(Execution execution, Settlement settlement, Runnable landed) {
			this.all.add(settlement);
		}

		@Override
		public void settleUnlessDone(Execution execution, Settlement settlement, Runnable done) {
			this.all.add(settlement);
		}

		@Override
		public void settled(Execution execution, Settlement settlement) {
		}

		@Override
		public void lost(Execution execution) {
		}

	}

}
