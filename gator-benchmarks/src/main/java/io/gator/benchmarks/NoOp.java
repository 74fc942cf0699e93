package io.gator.benchmarks;

import io.gator.Job;

/**
 * A job that does nothing.
 */
@Job(name = NoOp.NAME)
class NoOp {

	static final String NAME = "NoOp";

	void handle(long number) {
		Progress.tick();
	}

}
