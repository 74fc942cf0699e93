package io.gator.worker;

import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

/**
 * What was claimed and not started. One thread puts, all slots take.
 */
final class Buffer {

	private final ConcurrentLinkedQueue<Execution> queue = new ConcurrentLinkedQueue<>();

	private final Semaphore available = new Semaphore(0);

	void put(Collection<? extends Execution> executions) {
		this.queue.addAll(executions);
		this.available.release(executions.size());
	}

	/**
	 * Let slots look whether they should end.
	 * @param slots how many
	 */
	void wake(int slots) {
		this.available.release(slots);
	}

	/**
	 * Take the next one, waiting for it.
	 * @return the next one; {@code null} if there is none after all
	 * @throws InterruptedException if the slot is interrupted
	 */
	@Nullable Execution take() throws InterruptedException {
		this.available.acquire();
		return this.queue.poll();
	}

	/**
	 * Take the next one, if there is one.
	 * @return the next one, or {@code null}
	 */
	@Nullable Execution poll() {
		Execution next = this.queue.poll();
		if (next != null) {
			// A permit without an execution only wakes a slot for nothing; a permit that
			// a slot has taken meanwhile must not be waited for here.
			this.available.tryAcquire();
		}
		return next;
	}

	int size() {
		return this.queue.size();
	}

	@Nullable Execution peek() {
		return this.queue.peek();
	}

}
