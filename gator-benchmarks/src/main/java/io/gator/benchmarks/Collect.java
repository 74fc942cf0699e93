package io.gator.benchmarks;

import java.util.List;

import io.gator.Buffered;
import io.gator.Job;

/**
 * A buffered job that does nothing with its items. Not a part of every application: pools
 * that know a buffered job look for batches.
 */
@Job(name = Collect.NAME)
@Buffered(size = Collect.SIZE, maxWait = "1s")
class Collect {

	static final String NAME = "Collect";

	static final int SIZE = 1000;

	void handle(List<Long> numbers) {
		numbers.forEach((number) -> Progress.tick());
	}

}
