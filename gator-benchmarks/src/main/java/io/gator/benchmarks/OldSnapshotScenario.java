package io.gator.benchmarks;

import java.sql.Connection;
import java.util.List;
import java.util.Map;

/**
 * Drains while somebody holds an old snapshot, so that no dead row can be vacuumed.
 */
final class OldSnapshotScenario implements Scenario {

	private static final String HELD = "gator, old snapshot held";

	private static final String FREE = "gator, not held";

	private final Benchmark benchmark;

	private final int jobs;

	OldSnapshotScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.jobs = benchmark.scale().jobs(1_000_000);
	}

	@Override
	public String name() {
		return "old-snapshot";
	}

	@Override
	public String title() {
		return "drain " + this.jobs + " jobs while an old snapshot is held, and not";
	}

	@Override
	public Map<String, String> parameters() {
		return Scenario.inOrder("snapshot", "taken after the jobs were loaded, before the first claim");
	}

	@Override
	public int mostRounds() {
		return 3;
	}

	@Override
	public void run(Round round) throws Exception {
		for (String who : round.turns(List.of(HELD, FREE))) {
			Gator gator = new Gator(this.benchmark.database(), Benchmark.CONCURRENCY, who);
			gator.reset();
			gator.load(this.jobs);
			try (Connection connection = this.benchmark.database().connect()) {
				if (who.equals(HELD)) {
					Database.holdSnapshot(connection);
				}
				round.add(who, "jobs/s", gator.drain(this.jobs));
			}
		}
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(0.8, HELD, FREE));
	}

}
