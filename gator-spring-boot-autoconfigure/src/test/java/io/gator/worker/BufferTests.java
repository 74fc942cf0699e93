package io.gator.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class BufferTests {

	private final Buffer buffer = new Buffer();

	private static List<TestExecution> some(long from, long to) {
		return LongStream.rangeClosed(from, to).mapToObj(TestExecution::new).toList();
	}

	private Thread slot(CompletableFuture<List<Execution>> taken) {
		Thread slot = new Thread(() -> {
			List<Execution> one = new ArrayList<>();
			try {
				Execution execution = this.buffer.take();
				if (execution != null) {
					one.add(execution);
				}
				taken.complete(one);
			}
			catch (InterruptedException ex) {
				taken.completeExceptionally(ex);
			}
		});
		slot.setDaemon(true);
		slot.start();
		await().until(() -> slot.getState() == Thread.State.WAITING);
		return slot;
	}

	@Test
	void whatIsPutFirstIsTakenFirst() throws Exception {
		List<TestExecution> all = some(1, 3);
		this.buffer.put(all);
		assertThat(this.buffer.size()).isEqualTo(3);
		assertThat(this.buffer.peek()).isSameAs(all.get(0));
		for (TestExecution execution : all) {
			assertThat(this.buffer.take()).isSameAs(execution);
		}
		assertThat(this.buffer.peek()).isNull();
	}

	@Test
	void aSlotWaitsForWork() throws Exception {
		CompletableFuture<List<Execution>> taken = new CompletableFuture<>();
		slot(taken);
		List<TestExecution> one = some(1, 1);
		this.buffer.put(one);
		assertThat(taken.get(10, TimeUnit.SECONDS)).isEqualTo(one);
	}

	@Test
	void aSlotThatIsWokenWithoutWorkTakesNothing() throws Exception {
		CompletableFuture<List<Execution>> taken = new CompletableFuture<>();
		slot(taken);
		this.buffer.wake(1);
		assertThat(taken.get(10, TimeUnit.SECONDS)).isEmpty();
	}

	@Test
	void aSlotThatIsInterruptedStopsWaiting() {
		CompletableFuture<List<Execution>> taken = new CompletableFuture<>();
		slot(taken).interrupt();
		await().until(taken::isCompletedExceptionally);
	}

	@Test
	void whatIsDrainedIsTakenByNobodyAndWakesNobody() throws Exception {
		List<TestExecution> all = some(1, 5);
		this.buffer.put(all);
		assertThat(drain()).isEqualTo(all);
		assertThat(this.buffer.poll()).isNull();
		assertThat(this.buffer.size()).isZero();
		CompletableFuture<List<Execution>> taken = new CompletableFuture<>();
		// It would not be seen to wait if what was drained had left anything behind.
		slot(taken);
		List<TestExecution> one = some(6, 6);
		this.buffer.put(one);
		assertThat(taken.get(10, TimeUnit.SECONDS)).isEqualTo(one);
	}

	private List<Execution> drain() {
		return Stream.generate(this.buffer::poll).takeWhile(Objects::nonNull).toList();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void eachExecutionIsTakenOrDrainedOnceAndNoneIsLeftWithoutASlotToLook(boolean drains) throws Exception {
		int slots = 4;
		int count = 60_000;
		ConcurrentLinkedQueue<Long> ids = new ConcurrentLinkedQueue<>();
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < slots; i++) {
			Thread slot = new Thread(() -> {
				try {
					while (!Thread.currentThread().isInterrupted()) {
						if (this.buffer.take() instanceof TestExecution execution) {
							ids.add(execution.id());
						}
					}
				}
				catch (InterruptedException ex) {
					// The end.
				}
			});
			slot.setDaemon(true);
			slot.start();
			threads.add(slot);
		}
		for (int from = 1; from <= count; from += 2) {
			this.buffer.put(some(from, from + 1));
			if (drains && from % 5 == 0) {
				drain().forEach((execution) -> ids.add(((TestExecution) execution).id()));
			}
		}
		await().until(() -> this.buffer.size() == 0 && ids.size() >= count);
		for (Thread slot : threads) {
			slot.interrupt();
			slot.join();
		}
		assertThat(ids).hasSize(count).doesNotHaveDuplicates();
	}

}
