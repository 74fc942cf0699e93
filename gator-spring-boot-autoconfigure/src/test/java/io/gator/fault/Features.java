package io.gator.fault;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobTemplate;
import io.gator.Recurring;
import io.gator.Unique;

import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What a worker process has besides, to show what several do together: a recurring job,
 * one that waits to be cancelled, and many threads that dispatch the same unique jobs
 * when the test lets them. The jobs are beans as members of this class.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("gator.fault.features")
class Features {

	/** How many threads of a process dispatch at once. */
	static final int THREADS = 50;

	/** How many keys they all use, singly and in each bulk. */
	static final int KEYS = 20;

	/** How many bulks each of them dispatches. */
	static final int ROUNDS = 20;

	@Bean
	ApplicationRunner race(JobTemplate jobs, DataSource dataSource, Journal journal) {
		return (arguments) -> {
			Thread race = new Thread(() -> {
				try {
					StartSignal.await(dataSource);
					race(jobs, journal);
					journal.write("RACED");
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			}, "race");
			race.setDaemon(true);
			race.start();
		};
	}

	/** Nothing of it is due before the test is over. */
	private static void race(JobTemplate jobs, Journal journal) throws InterruptedException {
		CyclicBarrier together = new CyclicBarrier(THREADS);
		List<Thread> threads = IntStream.range(0, THREADS)
			.mapToObj((number) -> new Thread(() -> dispatch(jobs, journal, together, new Random(number))))
			.toList();
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}
	}

	private static void dispatch(JobTemplate jobs, Journal journal, CyclicBarrier together, Random random) {
		try {
			for (int key = 0; key < KEYS; key++) {
				together.await();
				long id = jobs.to(FaultWorker.Note.class)
					.delay(Duration.ofHours(1))
					.uniqueKey("one-" + key)
					.dispatch(key);
				journal.write("ONE", key, id);
			}
			for (int round = 0; round < ROUNDS; round++) {
				List<Integer> keys = IntStream.range(round * KEYS, (round + 1) * KEYS)
					.boxed()
					.collect(Collectors.toList());
				Collections.shuffle(keys, random);
				together.await();
				List<Long> ids = jobs.to(Once.class).delay(Duration.ofHours(1)).dispatchMany(keys);
				for (int i = 0; i < KEYS; i++) {
					journal.write("MANY", keys.get(i), ids.get(i));
				}
			}
		}
		catch (InterruptedException | BrokenBarrierException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Ticks each second. */
	@Job
	@Recurring(every = "1s", overlap = true)
	static class Tick {

		private final Journal journal;

		Tick(Journal journal) {
			this.journal = journal;
		}

		void handle(JobContext job) {
			this.journal.write("TICK", job.id());
		}

	}

	/** Waits until it is interrupted. */
	@Job
	static class Hold {

		private final Journal journal;

		Hold(Journal journal) {
			this.journal = journal;
		}

		void handle(JobContext job) throws InterruptedException {
			this.journal.write("HELD", job.id());
			try {
				new CountDownLatch(1).await();
			}
			finally {
				this.journal.write("INTERRUPTED", job.id(), job.isCancelled());
			}
		}

	}

	/** Unique by its argument. */
	@Job
	@Unique
	static class Once {

		void handle(int key) {
		}

	}

}
