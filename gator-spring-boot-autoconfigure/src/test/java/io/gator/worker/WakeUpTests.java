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
class WakeUpTests {

	private static final long FOR_EVER = TimeUnit.HOURS.toNanos(1);

	private final WakeUp wakeUp = new WakeUp();

	private Thread sleeper(CompletableFuture<Boolean> woken) {
		Thread thread = new Thread(() -> woken.complete(this.wakeUp.await(FOR_EVER)));
		thread.setDaemon(true);
		thread.start();
		await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
		return thread;
	}

	@Test
	void aSignalEndsTheSleepThatIsGoingOn() throws Exception {
		CompletableFuture<Boolean> woken = new CompletableFuture<>();
		sleeper(woken);
		assertThat(this.wakeUp.isWaiting()).isTrue();
		this.wakeUp.signal();
		assertThat(woken.get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(this.wakeUp.isWaiting()).isFalse();
	}

	@Test
	void aSignalThatComesFirstEndsTheNextSleepAtOnce() {
		this.wakeUp.signal();
		assertThat(this.wakeUp.await(FOR_EVER)).isTrue();
	}

	@Test
	void aSignalGivenBetweenPrepareAndAwaitIsNotLost() {
		this.wakeUp.prepare();
		assertThat(this.wakeUp.isWaiting()).isTrue();
		this.wakeUp.signal();
		assertThat(this.wakeUp.await(FOR_EVER)).isTrue();
	}

	@Test
	void manySignalsEndOneSleep() {
		this.wakeUp.signal();
		this.wakeUp.signal();
		assertThat(this.wakeUp.await(FOR_EVER)).isTrue();
		assertThat(this.wakeUp.await(1)).isFalse();
	}

	@Test
	void aSleepWithoutASignalEndsWithItsTime() {
		assertThat(this.wakeUp.awaitMillis(1)).isFalse();
		assertThat(this.wakeUp.isWaiting()).isFalse();
	}

	@Test
	void whoCarriesOnIsNotWaiting() {
		this.wakeUp.prepare();
		this.wakeUp.carryOn();
		assertThat(this.wakeUp.isWaiting()).isFalse();
	}

	@Test
	void anInterruptEndsNoSleep() throws Exception {
		CompletableFuture<Boolean> woken = new CompletableFuture<>();
		Thread thread = sleeper(woken);
		for (int i = 0; i < 3; i++) {
			thread.interrupt();
			await().until(() -> !thread.isInterrupted() && thread.getState() == Thread.State.TIMED_WAITING);
		}
		assertThat(woken).isNotDone();
		this.wakeUp.signal();
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
				if (this.wakeUp.isWaiting()) {
					this.wakeUp.signal();
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
				this.wakeUp.carryOn();
				taken.incrementAndGet();
				continue;
			}
			this.wakeUp.prepare();
			if (work.isEmpty() && !this.wakeUp.await(TimeUnit.SECONDS.toNanos(5)) && !work.isEmpty()) {
				missed++;
			}
		}
		giver.join();
		assertThat(missed).isZero();
	}

}
