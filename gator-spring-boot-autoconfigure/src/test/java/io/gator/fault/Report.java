package io.gator.fault;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a check found: violations, which must not be, and counts, which are printed.
 */
final class Report {

	private final List<String> violations = new ArrayList<>();

	private final Map<String, Integer> kinds = new TreeMap<>();

	private final List<String> notes = new ArrayList<>();

	private final List<String> counts = new ArrayList<>();

	final List<Double> killedRecovery = new ArrayList<>();

	final List<Double> frozenRecovery = new ArrayList<>();

	final List<Double> resumed = new ArrayList<>();

	int lost;

	int overlaps;

	int late;

	int duplicates;

	int jobs;

	void violation(String kind, String what) {
		this.kinds.merge(kind, 1, Integer::sum);
		if (this.violations.size() < 30) {
			this.violations.add(kind + ": " + what);
		}
	}

	void note(String what) {
		this.notes.add(what);
	}

	void count(String name, Object value) {
		this.counts.add(name + " " + value);
	}

	List<String> violations() {
		return this.violations;
	}

	Map<String, Integer> kinds() {
		return this.kinds;
	}

	static double percentile(List<Double> values, double share) {
		if (values.isEmpty()) {
			return 0;
		}
		List<Double> sorted = new ArrayList<>(values);
		Collections.sort(sorted);
		return sorted.get((int) Math.min(sorted.size() - 1, Math.ceil(share * sorted.size()) - 1));
	}

	static String seconds(List<Double> values) {
		return values.isEmpty() ? "-" : "p50 %.2f s, p99 %.2f s, max %.2f s (%d jobs)"
			.formatted(percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1), values.size());
	}

	/**
	 * Print what was found, and accept nothing that must not be.
	 * @param title what was done
	 */
	void accept(String title) {
		System.out.println("FAULTS " + title + ": " + this);
		assertThat(this.violations).isEmpty();
		assertThat(this.jobs).isPositive();
	}

	@Override
	public String toString() {
		return String.join(", ", this.counts) + "; recovery of the killed: " + seconds(this.killedRecovery)
				+ "; of the frozen: " + seconds(this.frozenRecovery) + "; resumed after outages: "
				+ (this.resumed.isEmpty() ? "-"
						: "max %.2f s of %d".formatted(percentile(this.resumed, 1), this.resumed.size()))
				+ "; violations " + this.kinds + (this.violations.isEmpty() ? "" : "\n  ")
				+ String.join("\n  ", this.violations) + (this.notes.isEmpty() ? "" : "\n  ")
				+ String.join("\n  ", this.notes);
	}

}
