package io.gator.benchmarks;

import io.gator.Job;

/**
 * A job that waits, as most do.
 */
@Job(name = Sleep.NAME)
class Sleep {

	static final String NAME = "Sleep";

	void handle(long millis) throws InterruptedException {
		long start = System.nanoTime();
		Thread.sleep(millis);
		Progress.ran(start);
	}

}
