package io.gator.benchmarks;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLongArray;

import io.gator.Job;

/**
 * A job that notes when it began, on the machine's monotonic clock, which all its JVMs
 * share, and on its wall clock, which is also the database's.
 */
@Job(name = Stamp.NAME)
class Stamp {

	static final String NAME = "Stamp";

	private static final int MAX_JOBS = 100_000;

	private static final AtomicLongArray NANOS = new AtomicLongArray(MAX_JOBS);

	private static final AtomicLongArray MICROS = new AtomicLongArray(MAX_JOBS);

	void handle(int number) {
		NANOS.set(number, System.nanoTime());
		MICROS.set(number, ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
		Progress.tick();
	}

	static long nanos(int number) {
		return NANOS.get(number);
	}

	static long micros(int number) {
		return MICROS.get(number);
	}

}
