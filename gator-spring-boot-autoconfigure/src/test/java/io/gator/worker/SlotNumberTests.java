package io.gator.worker;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.gator.worker.Execution.Stop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How many slots there are while their number changes.
 */
class SlotNumberTests {

	private final AtomicInteger concurrency = new AtomicInteger(1);

	private final Buffer buffer = new Buffer();

	private final AtomicInteger threads = new AtomicInteger();

	private final AtomicInteger started = new AtomicInteger();

	private final Slots slots = new Slots(TestSettings.slots(1).get(), this.concurrency::get, this.buffer,
			TestSettlements.ignored(), new Prefetch(this.concurrency::get, 0), (busy) -> {
			}, this::run);

	private final List<DeafExecution> jobs = Stream.generate(DeafExecution::new).limit(4).toList();

	private void run(Runnable slot) {
		this.started.incrementAndGet();
		this.threads.incrementAndGet();
		new Thread(() -> {
			slot.run();
			this.threads.decrementAndGet();
		}).start();
	}

	@AfterEach
	void stop() {
		this.jobs.forEach(DeafExecution::mayEnd);
		this.slots.stop();
		await("threads that end").until(() -> this.threads.get() == 0);
	}

	private void fit(int concurrency) {
		this.concurrency.set(concurrency);
		this.slots.fit();
	}

	@Test
	void aSlotThatIsAddedRunsWhatWaits() throws Exception {
		this.slots.start();
		this.buffer.put(this.jobs.subList(0, 2));
		this.jobs.get(0).awaitBegin();
		assertThat(this.jobs.get(1).hasBegun()).isFalse();
		fit(2);
		this.jobs.get(1).awaitBegin();
		assertThat(this.slots.busy()).isEqualTo(2);
	}

	@Test
	void slotsThatAreTooManyEndAndThoseThatHaveSomethingToRunEndAfterThat() throws Exception {
		this.concurrency.set(4);
		this.slots.start();
		this.buffer.put(this.jobs.subList(0, 2));
		this.jobs.get(0).awaitBegin();
		this.jobs.get(1).awaitBegin();
		fit(1);
		await("idle ones").until(() -> this.threads.get() == 2);
		assertThat(this.slots.busy()).isEqualTo(2);
		this.jobs.get(0).mayEnd();
		await("the first that is free").until(() -> this.threads.get() == 1);
		this.buffer.put(this.jobs.subList(2, 4));
		this.jobs.get(1).mayEnd();
		this.jobs.get(2).awaitBegin();
		assertThat(this.jobs.get(3).hasBegun()).as("beside the only slot").isFalse();
		this.jobs.get(2).mayEnd();
		this.jobs.get(3).awaitBegin();
	}

	@Test
	void slotsThatWereToEndAndAreNeededAfterAllGoOn() throws Exception {
		this.concurrency.set(2);
		this.slots.start();
		this.buffer.put(this.jobs.subList(0, 2));
		this.jobs.get(0).awaitBegin();
		this.jobs.get(1).awaitBegin();
		fit(1);
		fit(3);
		assertThat(this.started).as("one is new").hasValue(3);
		this.buffer.put(this.jobs.subList(2, 3));
		this.jobs.get(2).awaitBegin();
		this.jobs.get(0).mayEnd();
		this.buffer.put(this.jobs.subList(3, 4));
		this.jobs.get(3).awaitBegin();
		assertThat(this.threads).hasValue(3);
	}

	@Test
	void theNumberIsThatOfSlotsWhichAreNotStuck() throws Exception {
		this.slots.start();
		this.buffer.put(this.jobs.subList(0, 1));
		DeafExecution stuck = this.jobs.get(0);
		stuck.awaitBegin();
		stuck.stop(Stop.CANCELLED);
		this.slots.replaceStuck(System.nanoTime() + TimeUnit.MINUTES.toNanos(1));
		assertThat(this.started).hasValue(2);
		fit(2);
		assertThat(this.started).hasValue(3);
		stuck.mayEnd();
		await("the one that was replaced").until(() -> this.threads.get() == 2);
		this.slots.fit();
		assertThat(this.started).hasValue(3);
	}

	@Test
	void slotsThatHaveStoppedStayStopped() {
		this.slots.start();
		this.slots.stop();
		fit(3);
		assertThat(this.started).hasValue(1);
	}

}
