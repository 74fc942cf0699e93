package io.gator.maintenance;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Something that is done again and again, and the threads that have done it.
 */
final class Rounds implements Runnable {

	private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

	private final Semaphore done = new Semaphore(0);

	@Override
	public void run() {
		this.threads.add(Thread.currentThread());
		this.done.release();
	}

	/**
	 * Make sure that so many threads do it from each start to the next stop, and that
	 * none of them keeps a process alive.
	 */
	void assertDoneBy(int threads, Runnable start, Runnable stop) throws InterruptedException {
		for (int starts = 1; starts <= 2; starts++) {
			int all = threads * starts;
			this.done.drainPermits();
			start.run();
			start.run();
			assertThat(this.done.tryAcquire(50, 30, TimeUnit.SECONDS)).isTrue();
			await().until(() -> this.threads.size() >= all);
			stop.run();
			stop.run();
			await().until(() -> this.threads.stream().noneMatch(Thread::isAlive));
			assertThat(this.threads).hasSize(all).allMatch(Thread::isDaemon);
		}
	}

}
