package io.gator.benchmarks;

import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Fifty queues of different weights against one: with the jobs of all queues side by side
 * on each page, as single dispatches leave them, and with those of each queue together,
 * as bulk dispatches do; and the former while somebody holds an old snapshot.
 */
final class ManyQueuesScenario implements Scenario {

	private static final int QUEUES = 50;

	private static final String MIXED = QUEUES + " queues, jobs in turns";

	private static final String MIXED_HELD = MIXED + ", old snapshot held";

	private static final String TOGETHER = QUEUES + " queues, one dispatch each";

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
		return Scenario.inOrder("queues", "as many jobs in each, weights 1 to " + QUEUES);
	}

	@Override
	public int leastRounds() {
		return 9;
	}

	@Override
	public void run(Round round) throws Exception {
		for (String who : round.turns(List.of(MIXED, MIXED_HELD, TOGETHER, ONE))) {
			this.tables.truncate();
			switch (who) {
				case MIXED, MIXED_HELD -> this.tables.loadQueuesInTurns(NoOp.NAME, this.jobs, QUEUES);
				case TOGETHER -> this.tables.loadQueuesOneByOne(NoOp.NAME, this.jobs, QUEUES);
				default -> this.tables.load(NoOp.NAME, this.jobs);
			}
			try (Connection connection = this.benchmark.database().connect()) {
				if (who.equals(MIXED_HELD)) {
					Database.holdSnapshot(connection);
				}
				drain(round, who, who.equals(ONE) ? new String[0] : weights());
			}
		}
	}

	private static String[] weights() {
		return IntStream.rangeClosed(1, QUEUES)
			.mapToObj((queue) -> "gator.worker.queues.q" + queue + "=" + queue)
			.toArray(String[]::new);
	}

	private void drain(Round round, String who, String... properties) throws Exception {
		round.add(who, "jobs/s",
				new Gator(this.benchmark.database(), Benchmark.CONCURRENCY, who, properties).drain(this.jobs));
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(0.8, TOGETHER, ONE), Target.atLeast(0.8, MIXED, ONE),
				Target.atLeast(0.8, MIXED_HELD, MIXED));
	}

}
