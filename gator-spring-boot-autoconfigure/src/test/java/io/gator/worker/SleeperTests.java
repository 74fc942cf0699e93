package io.gator.worker;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class SleeperTests {

	private static final long FOR_EVER = TimeUnit.HOURS.toNanos(1);

	private final Sleeper sleeper = new Sleeper();

	private Thread asleep(CompletableFuture<Boolean> woken) {
		Thread thread = new Thread(() -> woken.complete(this.sleeper.await(FOR_EVER)));
		thread.setDaemon(true);
		thread.start();
		await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		return thread;
	}

	@Test
	void aSignalEndsTheSleepThatIsGoingOn() throws Exception {
		CompletableFuture<Boolean> woken = new CompletableFuture<>();
		asleep(woken);
		assertThat(this.sleeper.isWaiting()).isTrue();
		this.sleeper.signal();
		assertThat(woken.get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.sleeper.isWaiting()).isFalse();
	}

	@Test
	void aSignalThatComesFirstEndsTheNextSleepAtOnce() {
		this.sleeper.signal();
		assertThat(this.sleeper.await(FOR_EVER)).isTrue();
	}

	@Test
	void aSignalGivenBetweenPrepareAndAwaitIsNotLost() {
		this.sleeper.prepare();
		assertThat(this.sleeper.isWaiting()).isTrue();
		this.sleeper.signal();
		assertThat(this.sleeper.await(FOR_EVER)).isTrue();
	}

	@Test
	void manySignalsEndOneSleep() {
		this.sleeper.signal();
		this.sleeper.signal();
		assertThat(this.sleeper.await(FOR_EVER)).isTrue();
		assertThat(this.sleeper.await(1)).isFalse();
	}

	@Test
	void aSleepWithoutASignalEndsWithItsTime() {
		assertThat(this.sleeper.awaitMillis(1)).isFalse();
		assertThat(this.sleeper.isWaiting()).isFalse();
	}

	@Test
	void whoCarriesOnIsNotWaiting() {
		this.sleeper.prepare();
		this.sleeper.carryOn();
		assertThat(this.sleeper.isWaiting()).isFalse();
	}

	@Test
	void anInterruptEndsNoSleep() throws Exception {
		CompletableFuture<Boolean> woken = new CompletableFuture<>();
		Thread thread = asleep(woken);
		for (int i = 0; i < 3; i++) {
			thread.interrupt();
			await().until(() -> !thread.isInterrupted() && thread.getState() == Thread.State.TIMED_WAITING);
		}
		assertThat(woken).isNotDone();
		this.sleeper.signal();
		assertThat(woken.get(10, TimeUnit.SECONDS)).isTrue();
	}

	/**
	 * As slots and the poller do it: who works off asks whether it is of use before it
	 * signals, and who sleeps looks once more after it has said so.
	 */
	@Test
	void whatIsDoneAfterPrepareIsSeenOrSignalled() throws Exception {
		int count = 20_000;
		ConcurrentLinkedQueue<Integer> work = new ConcurrentLinkedQueue<>();
		AtomicInteger taken = new AtomicInteger();
		Thread giver = new Thread(() -> {
			for (int i = 0; i < count; i++) {
				work.add(i);
				if (this.sleeper.isWaiting()) {
					this.sleeper.signal();
				}
				while (taken.get() <= i) {
					Thread.onSpinWait();
					Thread.yield();
				}
			}
		});
		giver.setDaemon(true);
		giver.start();
		int missed = 0;
		while (taken.get() < count) {
			if (work.poll() != null) {
				this.sleeper.carryOn();
				taken.incrementAndGet();
				continue;
			}
			this.sleeper.prepare();
			if (work.isEmpty() && !this.sleeper.await(TimeUnit.SECONDS.toNanos(5)) && !work.isEmpty()) {
				missed++;
			}
		}
		giver.join();
		assertThat(missed).isZero();
	}

}
