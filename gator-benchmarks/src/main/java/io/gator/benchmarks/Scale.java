package io.gator.benchmarks;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;

/**
 * How much of the full size a run takes.
 */
enum Scale {

	/** The sizes that targets are given for. */
	FULL(1),

	/** A tenth, to look at one thing while working on it. */
	QUICK(10),

	/** As little as shows that a scenario works; its figures mean nothing. */
	SMOKE(0);

	private static final int SMALLEST = 100;

	private final int divisor;

	Scale(int divisor) {
		this.divisor = divisor;
	}

	static Scale of(String name) {
		return valueOf(name.toUpperCase(Locale.ROOT));
	}

	int jobs(int full) {
		return (this.divisor == 0) ? Math.min(full, SMALLEST) : Math.max(full / this.divisor, Math.min(full, 2000));
	}

	/**
	 * A time to measure for, or to offer work for.
	 */
	Duration time(Duration full) {
		return switch (this) {
			case FULL -> full;
			case QUICK -> full.dividedBy(2);
			case SMOKE -> Duration.ofMillis(Math.min(full.toMillis(), 300));
		};
	}

	boolean isSmoke() {
		return this == SMOKE;
	}

	/**
	 * Options of other JVMs. Where figures mean nothing they are only to start soon.
	 */
	String[] jvm(String... options) {
		if (this != SMOKE) {
			return options;
		}
		String[] more = Arrays.copyOf(options, options.length + 1);
		more[options.length] = "-XX:TieredStopAtLevel=1";
		return more;
	}

}
