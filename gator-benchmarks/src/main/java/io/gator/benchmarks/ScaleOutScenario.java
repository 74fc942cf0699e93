package io.gator.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.gator.JobTemplate;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * One, two and four worker JVMs on one backlog.
 */
final class ScaleOutScenario implements Scenario {

	private static final int SLOTS = 10;

	private static final int MILLIS = 5;

	private final Benchmark benchmark;

	private final GatorTables tables;

	ScaleOutScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.tables = new GatorTables(benchmark.database());
	}

	@Override
	public String name() {
		return "scale-out";
	}

	@Override
	public String title() {
		return "1, 2 and 4 worker JVMs with jobs of " + MILLIS + " ms, " + SLOTS + " slots each";
	}

	@Override
	public Map<String, String> parameters() {
		return Scenario.inOrder("jobs", jobs(1) + " for each JVM, in one dispatch while all are idle", "warm-up",
				"as many before");
	}

	private int jobs(int workers) {
		return workers * this.benchmark.scale().jobs(12_000);
	}

	@Override
	public void run(Round round) throws Exception {
		List<Integer> counts = this.benchmark.scale().isSmoke() ? List.of(1) : List.of(1, 2, 4);
		for (int workers : round.turns(counts)) {
			this.tables.truncate();
			round.add(workers + ((workers == 1) ? " JVM" : " JVMs"), "jobs/s", rate(workers));
		}
	}

	private double rate(int workers) throws Exception {
		List<Child> children = new ArrayList<>();
		try (ConfigurableApplicationContext application = GatorApplication.dispatcher(this.benchmark.database())) {
			JobTemplate template = application.getBean(JobTemplate.class);
			for (int i = 0; i < workers; i++) {
				children.add(Child.start(this.benchmark.database(), SLOTS, this.benchmark.scale().jvm()));
			}
			// As many before it counts: four JVMs would compile their bytecode in the
			// time that is measured, side by side on the same processors.
			int jobs = jobs(workers);
			drain(template, jobs);
			return Contestant.rate(jobs, drain(template, jobs));
		}
		finally {
			children.forEach(Child::close);
		}
	}

	private long drain(JobTemplate template, int jobs) throws Exception {
		template.dispatchMany(Sleep.class, Stream.generate(() -> (long) MILLIS).limit(jobs).toList());
		long start = System.nanoTime();
		return this.tables.awaitSettled() - start;
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(3.6, "4 JVMs", "1 JVM"));
	}

}
