package io.gator.worker;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An execution that ends when it may, whatever interrupts it, and is not settled.
 */
class DeafExecution extends TestExecution {

	final CountDownLatch begun = new CountDownLatch(1);

	final CountDownLatch mayEnd = new CountDownLatch(1);

	int timesReplaced;

	DeafExecution() {
		super(1);
	}

	boolean hasBegun() {
		return this.begun.getCount() == 0;
	}

	void awaitBegin() throws InterruptedException {
		assertThat(this.begun.await(30, TimeUnit.SECONDS)).as("it begins").isTrue();
	}

	void mayEnd() {
		this.mayEnd.countDown();
	}

	@Override
	void slotReplaced() {
		this.timesReplaced++;
	}

	@Override
	void run(Settlements settlements) {
		this.begun.countDown();
		await(this.mayEnd);
	}

	static void await(CountDownLatch latch) {
		while (latch.getCount() > 0) {
			try {
				latch.await();
			}
			catch (InterruptedException ex) {
				// Deaf, as it says.
			}
		}
	}

}
