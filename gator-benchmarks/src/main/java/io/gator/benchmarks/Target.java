package io.gator.benchmarks;

import java.util.List;

/**
 * What a figure should be: on its own, or as a ratio to the best of some others of the
 * same round.
 *
 * @param metric the figure
 * @param against the figures that it is compared with; empty for an absolute target
 * @param atLeast whether the bound is the least or the most
 * @param bound the bound
 */
record Target(String metric, List<String> against, boolean atLeast, double bound) {

	static Target atLeast(double bound, String metric, String... against) {
		return new Target(metric, List.of(against), true, bound);
	}

	static Target atMost(double bound, String metric, String... against) {
		return new Target(metric, List.of(against), false, bound);
	}

	boolean isRatio() {
		return !this.against.isEmpty();
	}

	boolean isMet(double value) {
		return this.atLeast ? value >= this.bound : value <= this.bound;
	}

}
