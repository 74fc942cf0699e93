package io.gator.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.Settlement;
import io.gator.store.WorkerStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How long a pool takes to stop.
 */
@ExtendWith(OutputCaptureExtension.class)
class PoolStopTests {

	@Test
	void aPoolHasStoppedWhenItsLastJobHasEndedHoweverLongThatWasAllowedToTake(CapturedOutput output) throws Exception {
		Work.running = new CountDownLatch(1);
		Work.mayEnd = new CountDownLatch(1);
		WorkerStore workers = TestWorkers.beating();
		try (TestServices services = new TestServices(new Jobs(TestClaimedJob.of(1, "Work").get()), Work.class)) {
			WorkerPool pool = new WorkerPool(
					TestSettings.slots(1).queues(Map.of("default", 1)).shutdownTimeout(Duration.ofMinutes(10)).get(),
					workers, services.get(), (queues) -> {
					});
			pool.start();
			Work.running.await();
			CompletableFuture<Void> stopped = new CompletableFuture<>();
			Thread stop = new Thread(() -> {
				pool.stop();
				stopped.complete(null);
			});
			stop.setDaemon(true);
			stop.start();
			await("it waits for the job").until(() -> isIn(stop, "awaitIdle"));
			assertThat(output).contains("stops, and waits up to 600000 ms; busy slots: 1");
			Work.mayEnd.countDown();
			assertThat(stopped).succeedsWithin(Duration.ofSeconds(30));
		}
	}

	@Test
	void whatWaitsForASlotGoesBackWhileTheLastJobIsStillRunning() throws Exception {
		WorkerStore workers = TestWorkers.beating();
		Work.running = new CountDownLatch(1);
		Work.mayEnd = new CountDownLatch(1);
		Jobs store = new Jobs(TestClaimedJob.of(1, "Work").get(), TestClaimedJob.of(2, "Work").get());
		try (TestServices services = new TestServices(store, Work.class)) {
			WorkerPool pool = new WorkerPool(TestSettings.slots(1)
				.queues(Map.of("default", 1))
				.prefetch(Duration.ofHours(1))
				.lease(Duration.ofHours(1))
				.shutdownTimeout(Duration.ofMinutes(10))
				.get(), workers, services.get(), (queues) -> {
				});
			pool.start();
			Work.running.await();
			assertThat(pool.status().buffered()).isOne();
			CompletableFuture<Void> stopped = CompletableFuture.runAsync(pool::stop);
			try {
				assertThat(store.settlements.poll(30, TimeUnit.SECONDS))
					.isEqualTo(Settlement.Requeued.released(TestClaimedJob.of(2, "Work").get()));
				assertThat(stopped).isNotDone();
			}
			finally {
				Work.mayEnd.countDown();
			}
			assertThat(stopped).succeedsWithin(Duration.ofSeconds(30));
			assertThat(store.settlements.poll()).isEqualTo(new Settlement.Succeeded(1, 1, null, null));
		}
	}

	@Test
	void aHandlerHasAWhileToEndAfterItsInterrupt() throws Exception {
		Careful.interrupted = new CountDownLatch(1);
		Careful.running = new CountDownLatch(1);
		Careful.mayEnd = new CountDownLatch(1);
		Jobs store = new Jobs(TestClaimedJob.of(1, "Careful").get());
		try (TestServices services = new TestServices(store, Careful.class)) {
			WorkerPool pool = new WorkerPool(
					TestSettings.slots(1).queues(Map.of("default", 1)).shutdownTimeout(Duration.ZERO).get(),
					TestWorkers.beating(), services.get(), (queues) -> {
					});
			pool.start();
			Careful.running.await();
			Thread stop = new Thread(pool::stop);
			stop.setDaemon(true);
			stop.start();
			Careful.interrupted.await();
			// A pool that does not wait for the handler has stopped before that ends.
			await().pollInterval(Duration.ofMillis(10)).until(() -> isIn(stop, "awaitIdle") || !stop.isAlive());
			Careful.mayEnd.countDown();
			stop.join(30_000);
			assertThat(store.settlements).containsExactly(new Settlement.Succeeded(1, 1, null, null));
		}
	}

	private static boolean isIn(Thread thread, String method) {
		return List.of(thread.getStackTrace()).stream().anyMatch((frame) -> frame.getMethodName().equals(method))
				&& thread.getState() == Thread.State.TIMED_WAITING;
	}

	/** A queue whose jobs are claimed at once. */
	private static final class Jobs extends FakeJobStore {

		final BlockingQueue<Settlement> settlements = new LinkedBlockingQueue<>();

		private List<ClaimedJob> waiting;

		Jobs(ClaimedJob... waiting) {
			this.waiting = List.of(waiting);
		}

		@Override
		public List<ClaimedJob> claim(ClaimRequest request) {
			List<ClaimedJob> claimed = this.waiting;
			this.waiting = List.of();
			return claimed;
		}

		@Override
		public <S extends Settlement> Set<Long> settle(Class<S> kind, List<S> batch) {
			this.settlements.addAll(batch);
			return Set.of();
		}

	}

	/** Puts things in order before it ends. */
	@Job
	static class Careful {

		static volatile CountDownLatch running = new CountDownLatch(1);

		static volatile CountDownLatch interrupted = new CountDownLatch(1);

		static volatile CountDownLatch mayEnd = new CountDownLatch(1);

		void handle() throws InterruptedException {
			running.countDown();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				interrupted.countDown();
				mayEnd.await();
			}
		}

	}

	@Job
	static class Work {

		static volatile CountDownLatch running = new CountDownLatch(1);

		static volatile CountDownLatch mayEnd = new CountDownLatch(1);

		void handle() throws InterruptedException {
			running.countDown();
			mayEnd.await();
		}

	}

}
