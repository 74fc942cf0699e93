package io.gator.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.maintenance.Upkeep.Duty;
import io.gator.test.Unspeakable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
class UpkeepTests {

	private final Upkeep upkeep = new Upkeep(List.of());

	private final AtomicInteger done = new AtomicInteger();

	private final CountDownLatch released = new CountDownLatch(1);

	@BeforeEach
	void start() {
		this.upkeep.start();
	}

	@AfterEach
	void stop() {
		this.released.countDown();
		this.upkeep.stop();
	}

	private void ask() {
		this.upkeep.ask(this.done::incrementAndGet);
	}

	/** Keep the thread busy until the end of the test. */
	private void occupy() {
		CountDownLatch begun = new CountDownLatch(1);
		this.upkeep.ask(() -> {
			begun.countDown();
			pass(this.released);
		});
		pass(begun);
	}

	private static void pass(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	@Test
	void aBeatThatMissesAPoolAsksForItsRescue() {
		Heartbeat missing = new Heartbeat(List.of(() -> false, () -> true, () -> false), Duration.ofHours(1),
				(steady) -> ask());
		assertThat(missing.runOnce()).isZero();
		await().until(this.done::get, (times) -> times == 1);
		Heartbeat complete = new Heartbeat(List.of(() -> false), Duration.ofHours(1), (steady) -> ask());
		assertThat(complete.runOnce()).isZero();
		this.upkeep.ask(this.released::countDown);
		pass(this.released);
		assertThat(this.done).hasValue(1);
	}

	@Test
	void aPoolThatCannotBeatKeepsNobodyFromAsking() {
		Heartbeat heartbeat = new Heartbeat(List.of(() -> {
			throw new IllegalStateException("no connection");
		}, () -> true), Duration.ofHours(1), (steady) -> ask());
		assertThat(heartbeat.runOnce()).isOne();
		await().until(this.done::get, (times) -> times == 1);
	}

	@Test
	void aDutyThatFailedIsDoneWhenItIsAskedForAgain() {
		this.upkeep.ask(() -> {
			this.released.countDown();
			throw new IllegalStateException("this time");
		});
		pass(this.released);
		ask();
		await().until(this.done::get, (times) -> times == 1);
	}

	@Test
	void anErrorDoesNotEndADuty() throws Exception {
		CountDownLatch times = new CountDownLatch(3);
		Upkeep broken = new Upkeep(List.of(Duty.quick(() -> {
			times.countDown();
			throw new AssertionError("not this time");
		}, Duration.ofMillis(1))));
		broken.start();
		try {
			assertThat(times.await(30, TimeUnit.SECONDS)).isTrue();
		}
		finally {
			broken.stop();
		}
	}

	@Test
	void aDutyThatFailsAgainAndAgainIsSpokenOfOnceAMinute(CapturedOutput output) {
		AtomicInteger tries = new AtomicInteger();
		while (tries.get() < 5) {
			int before = tries.get();
			this.upkeep.ask(() -> {
				tries.incrementAndGet();
				throw new UnsupportedOperationException("not today");
			});
			await().until(() -> tries.get() > before);
		}
		ask();
		await().until(() -> this.done.get() == 1);
		assertThat(output.toString()).containsOnlyOnce("not today");
	}

	@Test
	void aDutyIsSaidToHaveFailedThoughItsErrorHasNoMessageThatCanBeRead(CapturedOutput output) {
		this.upkeep.ask(() -> {
			throw new Unspeakable();
		});
		await().until(() -> output.toString().contains("A duty of maintenance failed and will be tried again: (its"));
	}

	@Test
	void nobodyIsToldOfADutyThatFailsAsTheApplicationEnds(CapturedOutput output) throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		this.upkeep.ask(() -> {
			thread.complete(Thread.currentThread());
			begun.countDown();
			pass(this.released);
			throw new IllegalStateException("its connection is closed");
		});
		pass(begun);
		this.upkeep.stop();
		this.released.countDown();
		thread.get().join(30_000);
		assertThat(thread.get().isAlive()).isFalse();
		assertThat(output).doesNotContain("its connection is closed");
	}

	@Test
	void whoeverAsksForADutyAgainBeforeItIsDoneAddsNothing() {
		occupy();
		ask();
		ask();
		this.released.countDown();
		await().until(this.done::get, (times) -> times == 1);
		CountDownLatch later = new CountDownLatch(1);
		this.upkeep.ask(later::countDown);
		pass(later);
		assertThat(this.done).hasValue(1);
	}

	@Test
	void afterAStartNothingIsLeftOfWhatWasAskedForBefore() {
		occupy();
		ask();
		this.upkeep.stop();
		this.upkeep.start();
		ask();
		await().until(this.done::get, (times) -> times == 1);
	}

	@Test
	void quickAndSlowDutiesHaveAThreadEachFromEachStartToTheNextStop() throws Exception {
		Rounds rounds = new Rounds();
		Upkeep upkeep = new Upkeep(List.of(Upkeep.Duty.quick(rounds, Duration.ofMillis(1)),
				Upkeep.Duty.slow(rounds, Duration.ofMillis(1)), Upkeep.Duty.quick(rounds, Duration.ofMillis(1))));
		rounds.assertDoneBy(2, upkeep::start, upkeep::stop);
	}

	@Test
	void aDutyThatTakesLongKeepsNoOtherWaiting() {
		CountDownLatch begun = new CountDownLatch(1);
		Upkeep busy = new Upkeep(List.of(Duty.slow(() -> {
			begun.countDown();
			pass(this.released);
		}, Duration.ofMillis(1)), Duty.quick(this.done::incrementAndGet, Duration.ofMillis(1))));
		busy.start();
		try {
			pass(begun);
			int before = this.done.get();
			await().until(() -> this.done.get() > before + 1);
			CountDownLatch asked = new CountDownLatch(1);
			busy.ask(asked::countDown);
			pass(asked);
		}
		finally {
			busy.stop();
		}
	}

}
