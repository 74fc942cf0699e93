package io.gator.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One turn of everybody. The order rotates from round to round, so that nobody always
 * runs first or after the same neighbour.
 */
final class Round {

	private final int number;

	private final List<Metric> metrics = new ArrayList<>();

	Round(int number) {
		this.number = number;
	}

	void add(String name, String unit, double value) {
		this.metrics.add(new Metric(name, unit, value));
	}

	List<Metric> metrics() {
		return this.metrics;
	}

	<T> List<T> turns(List<T> everybody) {
		List<T> turns = new ArrayList<>(everybody);
		Collections.rotate(turns, -(this.number - 1));
		return turns;
	}

}
