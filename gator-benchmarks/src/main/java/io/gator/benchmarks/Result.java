package io.gator.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What came out of a scenario.
 */
final class Result {

	private final Scenario scenario;

	private final List<Round> rounds;

	Result(Scenario scenario, List<Round> rounds) {
		this.scenario = scenario;
		this.rounds = List.copyOf(rounds);
	}

	Scenario scenario() {
		return this.scenario;
	}

	int rounds() {
		return this.rounds.size();
	}

	/**
	 * The figures of all rounds.
	 * @return a summary for each metric, in the order in which they were declared by the
	 * first round
	 */
	Map<String, Summary> summaries() {
		Map<String, List<Metric>> byName = new LinkedHashMap<>();
		for (Round round : this.rounds) {
			for (Metric metric : round.metrics()) {
				byName.computeIfAbsent(metric.name(), (name) -> new ArrayList<>()).add(metric);
			}
		}
		Map<String, Summary> summaries = new LinkedHashMap<>();
		byName.forEach((name, metrics) -> summaries.put(name,
				new Summary(metrics.get(0).unit(), metrics.stream().map(Metric::value).toList())));
		return summaries;
	}

	List<Verdict> verdicts() {
		Map<String, Summary> summaries = summaries();
		List<Verdict> verdicts = new ArrayList<>();
		for (Target target : this.scenario.targets()) {
			Summary summary = summaries.get(target.metric());
			if (summary == null) {
				continue;
			}
			if (!target.isRatio()) {
				verdicts.add(new Verdict(target, target.metric(), summary.median(), summary.unit()));
				continue;
			}
			// The best of the others, by their medians; then the median of the ratios
			// within a round, where both met the same weather.
			String best = "";
			Summary against = null;
			for (String name : target.against()) {
				Summary candidate = summaries.get(name);
				if (candidate != null && (against == null || candidate.median() > against.median())) {
					best = name;
					against = candidate;
				}
			}
			if (against != null) {
				verdicts.add(new Verdict(target, target.metric() + " / " + best, summary.ratioTo(against), "×"));
			}
		}
		return verdicts;
	}

	/**
	 * A metric over the rounds.
	 *
	 * @param unit the unit
	 * @param values a value for each round
	 */
	record Summary(String unit, List<Double> values) {

		double median() {
			return median(this.values);
		}

		double least() {
			return this.values.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
		}

		double most() {
			return this.values.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
		}

		double ratioTo(Summary other) {
			List<Double> ratios = new ArrayList<>();
			for (int i = 0; i < this.values.size() && i < other.values.size(); i++) {
				ratios.add(this.values.get(i) / other.values.get(i));
			}
			return median(ratios);
		}

		private static double median(List<Double> values) {
			double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
			int middle = sorted.length / 2;
			return (sorted.length % 2 == 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
		}

	}

	/**
	 * A target and what was measured.
	 *
	 * @param target the target
	 * @param what what was compared
	 * @param value the ratio or the figure
	 * @param unit its unit
	 */
	record Verdict(Target target, String what, double value, String unit) {

		boolean isMet() {
			return this.target.isMet(this.value);
		}

	}

}
