package io.gator.leads;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads Prometheus' text format, version 0.0.4, as strictly as its description says, and
 * refuses what Prometheus would refuse or store wrongly.
 */
final class PrometheusText {

	private static final String NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";

	private static final Pattern META = Pattern.compile("# (HELP|TYPE) (" + NAME + ") (.*)");

	private static final Pattern HELP = Pattern.compile("([^\\\\]|\\\\\\\\|\\\\n)*");

	private static final Pattern SAMPLE = Pattern.compile("(" + NAME + ")(?:\\{(.*)})? (\\S+)(?: (-?\\d+))?");

	private static final Pattern LABEL = Pattern
		.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\\\\\|\\\\\"|\\\\n)*)\"(,|$)");

	private static final Set<String> TYPES = Set.of("counter", "gauge", "histogram", "summary", "untyped");

	private final List<Sample> samples = new ArrayList<>();

	private final Map<String, String> types = new HashMap<>();

	private final Set<String> helped = new HashSet<>();

	private final Set<String> closed = new HashSet<>();

	private final Set<String> seen = new HashSet<>();

	private String family = "";

	private PrometheusText() {
	}

	/**
	 * Read a text.
	 * @param text the text
	 * @return its samples
	 * @throws IllegalArgumentException if it is not well formed; the message names the
	 * line
	 */
	static List<Sample> parse(String text) {
		PrometheusText parser = new PrometheusText();
		require(text.endsWith("\n"), "The last line does not end", "");
		for (String line : text.substring(0, text.length() - 1).split("\n", -1)) {
			parser.line(line);
		}
		return List.copyOf(parser.samples);
	}

	private void line(String line) {
		if (line.isBlank()) {
			return;
		}
		if (!line.startsWith("#")) {
			sample(line);
		}
		else if (line.startsWith("# HELP") || line.startsWith("# TYPE")) {
			meta(line);
		}
	}

	private void meta(String line) {
		Matcher meta = META.matcher(line);
		require(meta.matches(), "Neither help nor type", line);
		String name = meta.group(2);
		enter(name, line);
		if (meta.group(1).equals("HELP")) {
			require(this.helped.add(name), "A second help", line);
			require(HELP.matcher(meta.group(3)).matches(), "A bad escape", line);
		}
		else {
			require(TYPES.contains(meta.group(3)), "An unknown type", line);
			require(this.types.put(name, meta.group(3)) == null, "A second type", line);
			require(this.samples.stream().noneMatch((each) -> each.name().equals(name)), "A type after a sample", line);
		}
	}

	private void sample(String line) {
		Matcher sample = SAMPLE.matcher(line);
		require(sample.matches(), "Not a sample", line);
		String name = sample.group(1);
		Map<String, String> labels = labels(sample.group(2), line);
		String family = family(name, labels, line);
		enter(family, line);
		require(this.seen.add(name + new TreeMap<>(labels)), "The same sample twice", line);
		double value = value(sample.group(3), line);
		require(!"counter".equals(this.types.get(family)) || value >= 0, "A counter below 0", line);
		this.samples.add(new Sample(name, labels, value));
	}

	/** The lines of a family stand together. */
	private void enter(String name, String line) {
		if (!name.equals(this.family)) {
			this.closed.add(this.family);
			require(!this.closed.contains(name), "A family is not in one piece", line);
			this.family = name;
		}
	}

	private String family(String name, Map<String, String> labels, String line) {
		for (String suffix : List.of("_sum", "_count", "_bucket")) {
			String base = name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : "";
			String type = this.types.get(base);
			if ("histogram".equals(type) || "summary".equals(type) && !suffix.equals("_bucket")) {
				require(suffix.equals("_bucket") == labels.containsKey("le"), "A bucket has a bound", line);
				return base;
			}
		}
		String type = this.types.getOrDefault(name, "untyped");
		require(!type.equals("histogram"), "A histogram has only buckets, a sum and a count", line);
		require(!type.equals("summary") || labels.containsKey("quantile"), "A summary has quantiles", line);
		return name;
	}

	private static Map<String, String> labels(String text, String line) {
		Map<String, String> labels = new LinkedHashMap<>();
		if (text == null) {
			return labels;
		}
		Matcher label = LABEL.matcher(text);
		int end = 0;
		while (end < text.length()) {
			require(label.find(end) && label.start() == end, "Bad labels", line);
			require(labels.put(label.group(1), label.group(2)) == null, "A label twice", line);
			end = label.end();
		}
		return labels;
	}

	private static double value(String text, String line) {
		return switch (text) {
			case "+Inf" -> Double.POSITIVE_INFINITY;
			case "-Inf" -> Double.NEGATIVE_INFINITY;
			case "NaN" -> Double.NaN;
			default -> {
				require(text.matches("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?"), "Not a number", line);
				yield Double.parseDouble(text);
			}
		};
	}

	private static void require(boolean good, String what, String line) {
		if (!good) {
			throw new IllegalArgumentException(what + ": " + line);
		}
	}

	/**
	 * One line.
	 *
	 * @param name the name
	 * @param labels the labels
	 * @param value the value
	 */
	record Sample(String name, Map<String, String> labels, double value) {

		boolean is(String name, String... labels) {
			Map<String, String> wanted = new HashMap<>();
			for (int i = 0; i < labels.length; i += 2) {
				wanted.put(labels[i], labels[i + 1]);
			}
			return this.name.equals(name) && this.labels.entrySet().containsAll(wanted.entrySet());
		}

	}

}
