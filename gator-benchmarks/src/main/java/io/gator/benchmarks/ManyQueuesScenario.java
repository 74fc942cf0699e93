package io.gator.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Fifty queues of different weights against one.
 */
final class ManyQueuesScenario implements Scenario {

	private static final int QUEUES = 50;

	private static final String MANY = QUEUES + " queues";

	private static final String ONE = "1 queue";

	private final Benchmark benchmark;

	private final GatorTables tables;

	private final int jobs;

	ManyQueuesScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.tables = new GatorTables(benchmark.database());
		this.jobs = benchmark.scale().jobs(200_000);
	}

	@Override
	public String name() {
		return "many-queues";
	}

	@Override
	public String title() {
		return "drain " + this.jobs + " jobs from " + QUEUES + " queues of different weights vs one queue";
	}

	@Override
	public Map<String, String> parameters() {
		return Map.of("queues", "as many jobs in each, weights 1 to " + QUEUES);
	}

	@Override
	public void run(Round round) throws Exception {
		String[] weights = IntStream.rangeClosed(1, QUEUES)
			.mapToObj((i) -> "gator.worker.queues.q" + i + "=" + i)
			.toArray(String[]::new);
		for (String who : round.turns(List.of(MANY, ONE))) {
			this.tables.truncate();
			if (who.equals(MANY)) {
				this.tables.loadQueues(NoOp.NAME, this.jobs, QUEUES);
				round.add(who, "jobs/s",
						new Gator(this.benchmark.database(), Benchmark.CONCURRENCY, who, weights).drain(this.jobs));
			}
			else {
				this.tables.load(NoOp.NAME, this.jobs);
				round.add(who, "jobs/s",
						new Gator(this.benchmark.database(), Benchmark.CONCURRENCY, who).drain(this.jobs));
			}
		}
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(0.8, MANY, ONE));
	}

}
