package io.gator.benchmarks;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a run was asked for.
 *
 * @param scenarios the names of the scenarios; empty for all
 * @param contestants the beginnings of the names of who takes part; empty for all
 * @param rounds the rounds that count
 * @param scale the size
 * @param url the JDBC URL of a server to take, or {@code null} to start one
 * @param user its user
 * @param password its password
 * @param profiles where profiles are written, or {@code null} for none
 * @param json where the figures are written
 * @param markdown where the page is written, or {@code null} for none
 */
record Options(List<String> scenarios, List<String> contestants, int rounds, Scale scale, @Nullable String url,
		String user, String password, @Nullable Path profiles, Path json, @Nullable Path markdown) {

	static final String USAGE = """
			-scenarios a,b   only these; '-list' prints their names
			-contestants a,b only those in drains and bulk dispatches, as gator,raw
			-rounds n        rounds that count, after one that does not (5)
			-scale s         full, quick or smoke (full)
			-url u           a JDBC URL instead of an own PostgreSQL; its schema gator_bench is dropped
			-user u          its user (postgres)
			-password p      its password (postgres)
			-profile dir     profile Gator's part of each scenario into a directory
			-json file       the figures (gator-benchmarks/target/benchmarks.json)
			-markdown file   the page, as docs/benchmarks.md; written only if asked for
			""";

	static Options parse(String... args) {
		List<String> scenarios = List.of();
		List<String> contestants = List.of();
		int rounds = 5;
		Scale scale = Scale.FULL;
		String url = null;
		String user = "postgres";
		String password = "postgres";
		Path profiles = null;
		Path json = Path.of("gator-benchmarks", "target", "benchmarks.json");
		Path markdown = null;
		for (int i = 0; i < args.length; i += 2) {
			if (i + 1 == args.length) {
				throw new IllegalArgumentException(args[i] + " needs a value\n" + USAGE);
			}
			String value = args[i + 1];
			switch (args[i]) {
				case "-scenarios" -> scenarios = List.of(value.split(","));
				case "-contestants" -> contestants = List.of(value.split(","));
				case "-rounds" -> rounds = Integer.parseInt(value);
				case "-scale" -> scale = Scale.of(value);
				case "-url" -> url = value;
				case "-user" -> user = value;
				case "-password" -> password = value;
				case "-profile" -> profiles = Path.of(value);
				case "-json" -> json = Path.of(value);
				case "-markdown" -> markdown = Path.of(value);
				default -> throw new IllegalArgumentException("Unknown option " + args[i] + "\n" + USAGE);
			}
		}
		return new Options(scenarios, contestants, rounds, scale, url, user, password, profiles, json, markdown);
	}

}
