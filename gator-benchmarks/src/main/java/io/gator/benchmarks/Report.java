package io.gator.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Prints and writes results.
 */
final class Report {

	private static final String KEPT_FROM = "<!-- kept by hand: begin -->";

	private static final String KEPT_TO = "<!-- kept by hand: end -->";

	private static final String NOTHING_KEPT = """

			## What was tried

			Nothing is written down yet.

			""";

	private final Map<String, String> environment;

	private final List<Result> results;

	Report(Map<String, String> environment, List<Result> results) {
		this.environment = environment;
		this.results = results;
	}

	static void print(Result result) {
		System.out.printf("%n%s (%d rounds)%n", result.scenario().title(), result.rounds());
		result.scenario().parameters().forEach((name, value) -> System.out.printf("  %s: %s%n", name, value));
		result.summaries()
			.forEach((name, summary) -> System.out.printf("  %-34s %14s %-8s  (%s … %s)%n", name,
					figure(summary.median()), summary.unit(), figure(summary.least()), figure(summary.most())));
		for (Result.Verdict verdict : result.verdicts()) {
			System.out.printf("  %-6s %-46s %10s  (target %s)%n", verdict.isMet() ? "PASS" : "MISSED", verdict.what(),
					figure(verdict.value()), target(verdict));
		}
		System.out.flush();
	}

	void writeJson(Path file) throws IOException {
		Map<String, Object> all = new LinkedHashMap<>();
		all.put("date", LocalDate.now(ZoneOffset.UTC).toString());
		all.put("environment", this.environment);
		List<Object> scenarios = new ArrayList<>();
		for (Result result : this.results) {
			Map<String, Object> scenario = new LinkedHashMap<>();
			scenario.put("name", result.scenario().name());
			scenario.put("title", result.scenario().title());
			scenario.put("parameters", result.scenario().parameters());
			Map<String, Object> metrics = new LinkedHashMap<>();
			result.summaries()
				.forEach((name, summary) -> metrics.put(name,
						Map.of("unit", summary.unit(), "median", summary.median(), "values", summary.values())));
			scenario.put("metrics", metrics);
			List<Object> targets = new ArrayList<>();
			for (Result.Verdict verdict : result.verdicts()) {
				Map<String, Object> target = new LinkedHashMap<>();
				target.put("what", verdict.what());
				target.put("target", target(verdict));
				target.put("value", verdict.value());
				target.put("met", verdict.isMet());
				targets.add(target);
			}
			scenario.put("targets", targets);
			scenarios.add(scenario);
		}
		all.put("scenarios", scenarios);
		Files.createDirectories(file.toAbsolutePath().getParent());
		JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build().writeValue(file, all);
	}

	void writeMarkdown(Path file) throws IOException {
		String kept = NOTHING_KEPT;
		if (Files.exists(file)) {
			String old = Files.readString(file);
			int from = old.indexOf(KEPT_FROM);
			int to = old.indexOf(KEPT_TO);
			if (from >= 0 && to > from) {
				kept = old.substring(from + KEPT_FROM.length(), to);
			}
		}
		Files.createDirectories(file.toAbsolutePath().getParent());
		Files.writeString(file, markdown(kept));
	}

	private String markdown(String kept) {
		StringBuilder text = new StringBuilder();
		text.append("# Benchmarks\n\nWritten by `gator-benchmarks` on ")
			.append(LocalDate.now(ZoneOffset.UTC))
			.append("; its README says how to run them. Every figure is a median over the rounds of that run.\n")
			.append("A ratio is the median of the ratios within each round, where both met the same machine; "
					+ "absolute figures depend on it.\n\n## Targets\n\n")
			.append("| scenario | compared | target | measured | |\n|---|---|---|---|---|\n");
		for (Result result : this.results) {
			for (Result.Verdict verdict : result.verdicts()) {
				text.append("| ")
					.append(result.scenario().title())
					.append(" | ")
					.append(verdict.what())
					.append(" | ")
					.append(target(verdict))
					.append(" | ")
					.append(figure(verdict.value()))
					.append(" | ")
					.append(verdict.isMet() ? "met" : "**missed**")
					.append(" |\n");
			}
		}
		text.append("\n## Figures\n");
		for (Result result : this.results) {
			text.append("\n### ")
				.append(Character.toUpperCase(result.scenario().title().charAt(0)))
				.append(result.scenario().title().substring(1))
				.append("\n\n| | median | least | most | |\n|---|---|---|---|---|\n");
			result.summaries()
				.forEach((name, summary) -> text.append("| ")
					.append(name)
					.append(" | ")
					.append(figure(summary.median()))
					.append(" | ")
					.append(figure(summary.least()))
					.append(" | ")
					.append(figure(summary.most()))
					.append(" | ")
					.append(summary.unit())
					.append(" |\n"));
			text.append("\nRounds: ").append(result.rounds());
			result.scenario()
				.parameters()
				.forEach((name, value) -> text.append("; ").append(name).append(": ").append(value));
			text.append(".\n");
		}
		text.append("\n## Machine, versions, settings\n\n| | |\n|---|---|\n");
		this.environment
			.forEach((name, value) -> text.append("| ").append(name).append(" | ").append(value).append(" |\n"));
		text.append('\n').append(KEPT_FROM).append(kept).append(KEPT_TO).append('\n');
		return text.toString();
	}

	private static String target(Result.Verdict verdict) {
		Target target = verdict.target();
		return ((target.atLeast() ? "≥ " : "≤ ") + figure(target.bound()) + " " + verdict.unit()).strip();
	}

	static String figure(double value) {
		double magnitude = Math.abs(value);
		if (magnitude >= 1000) {
			return String.format(Locale.ROOT, "%,.0f", value);
		}
		if (magnitude >= 100) {
			return String.format(Locale.ROOT, "%.0f", value);
		}
		return String.format(Locale.ROOT, (magnitude >= 10) ? "%.1f" : (magnitude >= 0.1) ? "%.2f" : "%.4f", value);
	}

}
