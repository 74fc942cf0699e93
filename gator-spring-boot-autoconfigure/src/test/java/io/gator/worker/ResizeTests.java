package io.gator.worker;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobPools;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What an application gains by more slots, of which only the resize tells its pools.
 */
@FreshDatabase
class ResizeTests {

	private final TestApplication application;

	private final JobTemplate jobs;

	private final JobPools pools;

	ResizeTests(DatabaseHandle database) {
		this.application = TestApplication.start(database, List.of(Single.class, Batches.class, Counted.class),
				"spring.threads.virtual.enabled=false", "gator.worker.concurrency=1", "gator.worker.queues.default=1",
				"gator.worker.poll-interval=1h", "gator.worker.pools.batches.concurrency=1",
				"gator.worker.pools.batches.queues.batches=1");
		this.jobs = this.application.bean(JobTemplate.class);
		this.pools = this.application.bean(JobPools.class);
	}

	@AfterEach
	void stop() {
		this.application.bean(Single.class).mayEnd.countDown();
		this.application.bean(Batches.class).mayEnd.countDown();
		this.application.close();
	}

	@Test
	void singleJobsThatWaitBegin() throws Exception {
		Single handler = this.application.bean(Single.class);
		this.jobs.dispatchMany(Single.class, List.of(1, 2, 3));
		assertBegin(handler.begun, 1);
		this.pools.resize("default", 3);
		assertBegin(handler.begun, 2);
	}

	@Test
	void batchesThatWaitBegin() throws Exception {
		Batches handler = this.application.bean(Batches.class);
		this.jobs.dispatchMany(Batches.class, List.of(1, 2, 3));
		assertBegin(handler.begun, 1);
		this.pools.resize("batches", 3);
		assertBegin(handler.begun, 2);
	}

	@Test
	void eachJobRunsOnceAndTheSlotsAreAsManyAsTheyShouldBeHoweverOftenThePoolIsResized() {
		Counted handler = this.application.bean(Counted.class);
		this.jobs.dispatchMany(Counted.class, IntStream.range(0, 50_000).boxed().toList());
		Random sizes = new Random(7);
		await().pollInterval(Duration.ofMillis(5)).until(() -> {
			this.pools.resize("default", 1 + sizes.nextInt(20));
			return handler.runs.get() >= 50_000;
		});
		this.pools.resize("default", 3);
		await().until(() -> slots() == 3);
		assertThat(handler.runs).hasValue(50_000);
		assertThat(handler.numbers).hasSize(50_000);
	}

	private static long slots() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().matches("gator-default-\\d+"))
			.count();
	}

	private static void assertBegin(Semaphore begun, int times) throws InterruptedException {
		assertThat(begun.tryAcquire(times, 30, TimeUnit.SECONDS)).isTrue();
	}

	@Job
	static class Single {

		final Semaphore begun = new Semaphore(0);

		final CountDownLatch mayEnd = new CountDownLatch(1);

		void handle(int number) throws InterruptedException {
			this.begun.release();
			this.mayEnd.await();
		}

	}

	@Job
	static class Counted {

		final AtomicInteger runs = new AtomicInteger();

		final Set<Integer> numbers = ConcurrentHashMap.newKeySet();

		void handle(int number) {
			this.numbers.add(number);
			this.runs.incrementAndGet();
		}

	}

	@Job(queue = "batches")
	@Buffered(size = 1, maxWait = "1h", maxConcurrent = 3)
	static class Batches {

		final Semaphore begun = new Semaphore(0);

		final CountDownLatch mayEnd = new CountDownLatch(1);

		void handle(List<Integer> numbers) throws InterruptedException {
			this.begun.release();
			this.mayEnd.await();
		}

	}

}
