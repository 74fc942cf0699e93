package io.gator.benchmarks;

import java.util.Arrays;

/**
 * Sorted values.
 */
final class Percentiles {

	private final double[] sorted;

	private Percentiles(double[] sorted) {
		this.sorted = sorted;
	}

	static Percentiles of(double[] values) {
		double[] sorted = values.clone();
		Arrays.sort(sorted);
		return new Percentiles(sorted);
	}

	double at(double fraction) {
		int rank = (int) Math.ceil(fraction * this.sorted.length);
		return this.sorted[Math.max(0, Math.min(this.sorted.length, rank) - 1)];
	}

	void addTo(Round round, String what, double... fractions) {
		for (double fraction : fractions) {
			round.add("p" + Math.round(fraction * 100) + " " + what, "ms", at(fraction));
		}
	}

}
