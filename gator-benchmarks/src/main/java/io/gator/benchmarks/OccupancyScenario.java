package io.gator.benchmarks;

import java.util.List;
import java.util.Map;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * How much of the time slots run jobs while there is work.
 */
final class OccupancyScenario implements Scenario {

	private static final int SLOTS = 20;

	private final Benchmark benchmark;

	private final GatorTables tables;

	OccupancyScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.tables = new GatorTables(benchmark.database());
	}

	@Override
	public String name() {
		return "occupancy";
	}

	@Override
	public String title() {
		return "slots busy with jobs of 1 ms and of 100 ms, " + SLOTS + " slots";
	}

	@Override
	public Map<String, String> parameters() {
		return Scenario.inOrder("busy", "time in handlers, of all slots from the first start to the last end", "jobs",
				jobs(1) + " of 1 ms, " + jobs(100) + " of 100 ms");
	}

	private int jobs(int millis) {
		return this.benchmark.scale().jobs((millis == 1) ? 100_000 : 2000);
	}

	@Override
	public void run(Round round) throws Exception {
		for (int millis : round.turns(List.of(1, 100))) {
			this.tables.truncate();
			int jobs = jobs(millis);
			this.benchmark.database()
				.execute("insert into gator_job (queue, name, args) select 'default', '" + Sleep.NAME + "', '[" + millis
						+ "]' from generate_series(1, " + jobs + ")", "analyze gator_job");
			round.add("busy with " + millis + " ms", "%",
					Profiler.profile("occupancy " + millis, this.benchmark.database(), () -> busy(jobs)));
		}
	}

	private double busy(int jobs) throws Exception {
		Progress progress = Progress.expect(jobs);
		try (ConfigurableApplicationContext application = GatorApplication.worker(this.benchmark.database(), SLOTS)) {
			progress.await();
			this.tables.awaitSettled();
			GatorApplication.requireUp(application);
			progress.requireExactly();
			double elapsed = progress.lastEnd() - progress.firstStart();
			return 100 * progress.busy() / (SLOTS * elapsed);
		}
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(90, "busy with 1 ms"), Target.atLeast(97, "busy with 100 ms"));
	}

}
