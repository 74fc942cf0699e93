package io.gator.benchmarks;

import io.gator.Job;

/**
 * A job with a long argument.
 */
@Job(name = Payload.NAME)
class Payload {

	static final String NAME = "Payload";

	void handle(String text) {
		Progress.tick();
	}

}
