package io.gator.benchmarks;

import java.util.List;
import java.util.Map;

/**
 * Drains a long backlog with a small heap.
 */
final class SmallHeapScenario implements Scenario {

	private static final int MEGABYTES = 128;

	private final Benchmark benchmark;

	private final GatorTables tables;

	private final int jobs;

	SmallHeapScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.tables = new GatorTables(benchmark.database());
		this.jobs = benchmark.scale().jobs(5_000_000);
	}

	@Override
	public String name() {
		return "small-heap";
	}

	@Override
	public String title() {
		return "drain " + this.jobs + " jobs in a JVM of " + MEGABYTES + " MB";
	}

	@Override
	public Map<String, String> parameters() {
		return Scenario.inOrder("JVM", "-Xmx" + MEGABYTES + "m, ends at the first OutOfMemoryError");
	}

	@Override
	public int mostRounds() {
		return 1;
	}

	@Override
	public void run(Round round) throws Exception {
		this.tables.truncate();
		this.tables.load(NoOp.NAME, this.jobs);
		long start = System.nanoTime();
		try (Child child = Child.start(this.benchmark.database(), Benchmark.CONCURRENCY,
				this.benchmark.scale().jvm("-Xmx" + MEGABYTES + "m", "-XX:+ExitOnOutOfMemoryError"))) {
			while (child.isAlive() && this.benchmark.database()
				.number("select count(*) as " + Database.PROBE + " from (select from gator_job limit 1) j") > 0) {
				Thread.sleep(200);
			}
			long end = System.nanoTime();
			String[] heap = child.ask(WorkerMain.HEAP).split(" ");
			this.tables.requireHistory(this.jobs);
			round.add("drained", "", 1);
			round.add("heap used at the end", "MB", Double.parseDouble(heap[0]) / (1024 * 1024));
			round.add("rate, start of the JVM included", "jobs/s", Contestant.rate(this.jobs, end - start));
		}
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(1, "drained"));
	}

}
