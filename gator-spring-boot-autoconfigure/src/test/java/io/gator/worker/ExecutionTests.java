package io.gator.worker;

import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.gator.store.ClaimedJob;
import io.gator.worker.Execution.Stop;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Each test has a thread of its own, which it may leave interrupted. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class ExecutionTests {

	private final TestExecution execution = new TestExecution(1);

	@Test
	void whoeverIsStoppedBeforeItBeginsIsInterruptedAsItBegins() {
		assertThat(this.execution.stop(Stop.CANCELLED)).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		this.execution.begin();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThat(this.execution.isRunning()).isTrue();
	}

	@Test
	void whoeverIsStoppedWhileItRunsIsInterrupted() {
		this.execution.begin();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.execution.stop(Stop.TIMED_OUT)).isTrue();
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThat(this.execution.stopReason()).isEqualTo(Stop.TIMED_OUT);
	}

	@Test
	void whoeverWaitsInAChannelThatCannotBeClosedIsStoppedAllTheSame() {
		this.execution.begin();
		// Whoever joins is not kept from it by being interrupted.
		new Unclosable().whileOneWaits(
				() -> assertThat(CompletableFuture.supplyAsync(() -> this.execution.stop(Stop.SHUTDOWN)).join())
					.isTrue());
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
		assertThat(this.execution.stopReason()).isEqualTo(Stop.SHUTDOWN);
	}

	@Test
	void theFirstReasonToStopAHandlerCounts() {
		this.execution.begin();
		assertThat(this.execution.stop(Stop.SHUTDOWN)).isTrue();
		assertThat(this.execution.stop(Stop.FENCED)).isFalse();
		assertThat(this.execution.stopReason()).isEqualTo(Stop.SHUTDOWN);
	}

	@Test
	void whateverHasStoppedAHandlerTheLossOfItsJobInterruptsItOnceMoreAndCounts() {
		for (Stop first : List.of(Stop.TIMED_OUT, Stop.CANCELLED)) {
			for (Stop last : List.of(Stop.SHUTDOWN, Stop.FENCED)) {
				TestExecution deaf = new TestExecution(1);
				deaf.begin();
				assertThat(deaf.stop(first)).isTrue();
				assertThat(Thread.interrupted()).isTrue();
				assertThat(deaf.stop(last)).isTrue();
				assertThat(Thread.interrupted()).isTrue();
				assertThat(deaf.stop(first)).isFalse();
				assertThat(deaf.endHandling("Job")).isEqualTo(last);
				assertThat(deaf.hasTimedOut()).isEqualTo(first == Stop.TIMED_OUT);
			}
		}
	}

	@Test
	void whatIsOverCannotBeStoppedAndNobodyIsInterruptedForIt() {
		this.execution.begin();
		this.execution.end();
		assertThat(this.execution.stop(Stop.CANCELLED)).isFalse();
		assertThat(this.execution.stopReason()).isNull();
		assertThat(this.execution.isRunning()).isFalse();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void anEndTakesTheInterruptWithIt() {
		this.execution.begin();
		this.execution.stop(Stop.CANCELLED);
		this.execution.end();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
	}

	@Test
	void anEndTakesTheTimeoutBack() {
		CompletableFuture<Void> timeout = new CompletableFuture<>();
		this.execution.timeout = timeout;
		this.execution.begin();
		this.execution.end();
		assertThat(timeout).isCancelled();
	}

	@Test
	void whoeverIgnoresAStopIsKnownToDoSoFromThenOn() {
		this.execution.begin();
		assertThat(this.execution.ignoring(System.nanoTime() + 100)).isZero();
		this.execution.stop(Stop.SHUTDOWN);
		long second = TimeUnit.SECONDS.toNanos(1);
		assertThat(this.execution.ignoring(System.nanoTime() + second)).isBetween(second, 60 * second);
	}

	@Test
	void whoeverIgnoresOneStopAndThenAnotherHasDoneSoSinceTheFirst() {
		this.execution.begin();
		this.execution.stop(Stop.TIMED_OUT);
		long first = System.nanoTime();
		this.execution.stop(Stop.SHUTDOWN);
		long second = TimeUnit.SECONDS.toNanos(1);
		assertThat(this.execution.ignoring(first + second)).isGreaterThanOrEqualTo(second);
	}

	@Test
	void aHandlerBeginsWithoutTheInterruptThatAListenerHasLeft() {
		this.execution.begin();
		Thread.currentThread().interrupt();
		this.execution.dropInterruptOfOthers();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		this.execution.stop(Stop.CANCELLED);
		this.execution.dropInterruptOfOthers();
		assertThat(Thread.currentThread().isInterrupted()).as("the handler is to stop").isTrue();
	}

	@Test
	void whatConcernedTheHandlerIsNotHeldAgainstWhatComesAfterIt() {
		this.execution.begin();
		this.execution.stop(Stop.TIMED_OUT);
		assertThat(this.execution.endHandling("Job")).isEqualTo(Stop.TIMED_OUT);
		assertThat(this.execution.stopReason()).isNull();
		assertThat(this.execution.ignoring(System.nanoTime() + 100)).isZero();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.execution.stop(Stop.TIMED_OUT)).isFalse();
		assertThat(this.execution.stop(Stop.CANCELLED)).isFalse();
		assertThat(Thread.currentThread().isInterrupted()).isFalse();
		assertThat(this.execution.stop(Stop.SHUTDOWN)).isTrue();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void whoeverLosesItsJobAtTheMomentItsHandlerHasEndedIsInterruptedAllTheSame() {
		this.execution.timeout = new CompletableFuture<>() {
			@Override
			public boolean cancel(boolean interrupt) {
				// The handler has ended, and nothing that comes after it has begun.
				return ExecutionTests.this.execution.stop(Stop.FENCED);
			}
		};
		this.execution.begin();
		assertThat(this.execution.endHandling("Job")).isNull();
		assertThat(this.execution.stopReason()).isEqualTo(Stop.FENCED);
		assertThat(Thread.currentThread().isInterrupted()).isTrue();
	}

	@Test
	void aJobHasWaitedForItsClaimAndFromThenOnUntilItBegan() {
		TestExecution claimed = new TestExecution(1, TimeUnit.SECONDS.toNanos(1_000));
		ClaimedJob job = new ClaimedJob(1, "default", "Work", "[]", 1, 1, 100, Double.NaN, 102, false, false, null);
		assertThat(claimed.waitedNanos(job, TimeUnit.SECONDS.toNanos(1_005))).isEqualTo(TimeUnit.SECONDS.toNanos(7));
		assertThat(claimed.waitedNanos(job, TimeUnit.SECONDS.toNanos(1_000))).isEqualTo(TimeUnit.SECONDS.toNanos(2));
	}

	@Test
	void aJobIsSettledOnce() {
		assertThat(this.execution.isSettled()).isFalse();
		assertThat(this.execution.settledOne()).isTrue();
		assertThat(this.execution.isSettled()).isTrue();
		assertThat(this.execution.settledOne()).isFalse();
	}

	/**
	 * A slot runs one execution after the other while somebody stops each of them, a bit
	 * earlier or later: before it begins, while it runs, as it ends. Whatever the moment,
	 * the interrupt comes within the execution or not at all.
	 */
	@Test
	void noInterruptReachesTheSlotAfterTheEnd() throws Exception {
		int rounds = 100_000;
		AtomicReference<TestExecution> current = new AtomicReference<>();
		AtomicInteger stopped = new AtomicInteger();
		CountDownLatch started = new CountDownLatch(1);
		Thread stopper = new Thread(() -> {
			started.countDown();
			for (TestExecution last = null; stopped.get() >= 0;) {
				TestExecution now = current.get();
				if (now != null && now != last) {
					if (now.stop(Stop.CANCELLED)) {
						stopped.updateAndGet((count) -> (count >= 0) ? count + 1 : count);
					}
					last = now;
				}
			}
		});
		stopper.setDaemon(true);
		stopper.start();
		started.await();
		int leaked = 0;
		for (int i = 0; i < rounds; i++) {
			TestExecution next = new TestExecution(i);
			current.set(next);
			for (int spin = i % 64; spin > 0; spin--) {
				Thread.onSpinWait();
			}
			next.begin();
			for (int spin = i % 16; spin > 0; spin--) {
				Thread.onSpinWait();
			}
			next.end();
			for (int spin = i % 32; spin > 0; spin--) {
				Thread.onSpinWait();
			}
			if (Thread.interrupted()) {
				leaked++;
			}
		}
		int stops = stopped.getAndSet(Integer.MIN_VALUE);
		stopper.join();
		assertThat(leaked).isZero();
		assertThat(Thread.interrupted()).isFalse();
		assertThat(stops).as("stops that came in time").isPositive();
	}

	/** Is closed by the interruption of whoever waits in it. */
	private static final class Unclosable extends AbstractInterruptibleChannel {

		void whileOneWaits(Runnable work) {
			begin();
			try {
				work.run();
			}
			finally {
				assertThatExceptionOfType(ClosedByInterruptException.class).isThrownBy(() -> end(false));
			}
		}

		@Override
		protected void implCloseChannel() {
			throw new IllegalStateException("cannot be closed");
		}

	}

}
