package io.gator.worker;

/**
 * When a claim or a look ran, in monotonic time.
 *
 * @param start when it began
 * @param end when it was over or broken off
 */
record Elapsed(long start, long end) {

	long nanos() {
		return this.end - this.start;
	}

}
