package io.gator.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Fifty queues of different weights against one.
 */
final class ManyQueuesScenario implements Scenario {

	private static final int QUEUES = 50;

	private static final String MANY = QUEUES + " queues";

	private static final String EQUAL = QUEUES + " queues of equal weights";

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
		return Map.of("queues", "as many jobs in each, in turns, weights 1 to " + QUEUES);
	}

	@Override
	public void run(Round round) throws Exception {
		for (String who : round.turns(List.of(MANY, EQUAL, ONE))) {
			this.tables.truncate();
			switch (who) {
				case MANY -> many(round, who, (queue) -> queue);
				case EQUAL -> many(round, who, (queue) -> 1);
				default -> {
					this.tables.load(NoOp.NAME, this.jobs);
					drain(round, who);
				}
			}
		}
	}

	private void many(Round round, String who, IntUnaryOperator weight) throws Exception {
		this.tables.loadQueues(NoOp.NAME, this.jobs, QUEUES);
		drain(round, who,
				IntStream.rangeClosed(1, QUEUES)
					.mapToObj((queue) -> "gator.worker.queues.q" + queue + "=" + weight.applyAsInt(queue))
					.toArray(String[]::new));
	}

	private void drain(Round round, String who, String... properties) throws Exception {
		round.add(who, "jobs/s",
				new Gator(this.benchmark.database(), Benchmark.CONCURRENCY, who, properties).drain(this.jobs));
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(0.8, MANY, ONE));
	}

}
