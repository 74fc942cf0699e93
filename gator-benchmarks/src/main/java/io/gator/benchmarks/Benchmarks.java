package io.gator.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs the scenarios.
 */
public final class Benchmarks {

	private Benchmarks() {
	}

	/**
	 * Run what the options ask for.
	 * @param args the options
	 * @throws Exception if anything fails; a missed target is no failure
	 */
	public static void main(String[] args) throws Exception {
		if (args.length == 1) {
			System.out.println(Options.USAGE);
			all(new Benchmark(Database.at("", "", ""), Scale.FULL, List.of()))
				.forEach((scenario) -> System.out.printf("%-16s %s%n", scenario.name(), scenario.title()));
			return;
		}
		run(Options.parse(args));
	}

	static List<Result> run(Options options) throws Exception {
		String url = options.url();
		if (url != null) {
			return run(options, Database.at(url, options.user(), options.password()));
		}
		try (Server server = Server.start()) {
			return run(options, server.database());
		}
	}

	private static List<Result> run(Options options, Database database) throws Exception {
		database.requireDurable();
		Progress.patience(options.scale().isSmoke() ? Duration.ofSeconds(30) : Duration.ofMinutes(5));
		database.createSchema();
		if (database.number("select count(*) from pg_available_extensions where name = 'pg_stat_statements'") > 0
				&& database.text("show shared_preload_libraries").contains("pg_stat_statements")) {
			database.execute("create extension if not exists pg_stat_statements schema public");
		}
		Benchmark benchmark = new Benchmark(database, options.scale(), options.contestants());
		benchmark.createTables();
		Map<String, String> environment = Environment.describe(database, options.scale());
		environment.forEach((name, value) -> System.out.printf("%s: %s%n", name, value));
		List<Result> results = new ArrayList<>();
		for (Scenario scenario : chosen(all(benchmark), options.scenarios())) {
			long start = System.nanoTime();
			Result result = new Result(scenario, rounds(scenario, options));
			Report.print(result);
			System.out.printf("  took %s s%n", Report.figure((System.nanoTime() - start) / 1e9));
			results.add(result);
			// After each scenario: a run that is broken off leaves what it has measured.
			write(new Report(environment, results), options);
		}
		return results;
	}

	private static void write(Report report, Options options) throws IOException {
		report.writeJson(options.json());
		Path markdown = options.markdown();
		if (markdown != null) {
			report.writeMarkdown(markdown);
		}
	}

	private static List<Round> rounds(Scenario scenario, Options options) throws Exception {
		System.out.printf("%n-- %s%n", scenario.name());
		scenario.prepare();
		int least = (options.scale() == Scale.FULL) ? scenario.leastRounds() : 1;
		int count = Math.min(Math.max(options.rounds(), least), scenario.mostRounds());
		for (int i = 0; i < scenario.warmUps() && !options.scale().isSmoke(); i++) {
			scenario.run(new Round(i));
		}
		List<Round> rounds = new ArrayList<>();
		for (int i = 1; i <= count; i++) {
			Round round = new Round(i);
			Profiler.into(options.profiles());
			scenario.run(round);
			Profiler.into(null);
			System.out.printf("  round %d:", i);
			round.metrics()
				.forEach((metric) -> System.out.printf(" %s %s;", metric.name(), Report.figure(metric.value())));
			System.out.println();
			rounds.add(round);
		}
		return rounds;
	}

	private static List<Scenario> chosen(List<Scenario> all, List<String> names) {
		List<String> known = all.stream().map(Scenario::name).toList();
		for (String name : names) {
			if (!known.contains(name)) {
				throw new IllegalArgumentException("There is no scenario '" + name + "' among " + known);
			}
		}
		return all.stream().filter((scenario) -> names.isEmpty() || names.contains(scenario.name())).toList();
	}

	static List<Scenario> all(Benchmark benchmark) {
		return List.of(new DrainScenario(benchmark), new BulkDispatchScenario(benchmark),
				new SingleDispatchScenario(benchmark), new OldSnapshotScenario(benchmark),
				new ClaimTimeScenario(benchmark), new LatencyScenario(benchmark), new DelayScenario(benchmark),
				new OccupancyScenario(benchmark), new ScaleOutScenario(benchmark), new ManyQueuesScenario(benchmark),
				new SmallHeapScenario(benchmark), new CostScenario(benchmark), new PayloadScenario(benchmark),
				new BufferedScenario(benchmark), new OutcomesScenario(benchmark));
	}

}
