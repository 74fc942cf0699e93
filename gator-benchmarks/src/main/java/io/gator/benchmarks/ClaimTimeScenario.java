package io.gator.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.zaxxer.hikari.HikariDataSource;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.GatorStores;
import io.gator.store.JobStore;
import io.gator.store.Settlement;

/**
 * The time of a claim, as the engine sends it, against the number of jobs that wait.
 */
final class ClaimTimeScenario implements Scenario {

	private static final int CLAIMS = 200;

	private static final int BATCH = 100;

	private final Benchmark benchmark;

	private final GatorTables tables;

	private final int few;

	private final int many;

	private final int scheduled;

	ClaimTimeScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.tables = new GatorTables(benchmark.database());
		this.few = Math.max(benchmark.scale().jobs(50_000), 2 * BATCH);
		this.many = Math.max(benchmark.scale().jobs(5_000_000), this.few);
		this.scheduled = benchmark.scale().jobs(1_000_000);
	}

	@Override
	public String name() {
		return "claim-time";
	}

	@Override
	public String title() {
		return "time of a claim with " + this.many + " jobs waiting vs " + this.few + ", and with " + this.scheduled
				+ " scheduled ahead";
	}

	@Override
	public Map<String, String> parameters() {
		return Map.of("claims", "up to " + CLAIMS + " of " + BATCH + " jobs each, settled in between; vacuumed before");
	}

	@Override
	public int mostRounds() {
		return 3;
	}

	@Override
	public void run(Round round) throws Exception {
		for (String who : round.turns(List.of("few", "many", "scheduled"))) {
			this.tables.truncate();
			switch (who) {
				case "few" -> this.tables.load(NoOp.NAME, this.few);
				case "many" -> this.tables.load(NoOp.NAME, this.many);
				default -> {
					this.tables.loadScheduled(NoOp.NAME, this.scheduled);
					this.tables.load(NoOp.NAME, this.few);
				}
			}
			this.tables.settleDown();
			measure(round, who + " waiting");
		}
	}

	private void measure(Round round, String who) throws Exception {
		try (HikariDataSource pool = this.benchmark.database().pool(2)) {
			JobStore store = GatorStores.open(pool, Database.SCHEMA, Duration.ofMinutes(1), true).jobs();
			int claims = Math.min(CLAIMS, this.few / BATCH);
			double[] millis = new double[claims];
			long after = 0;
			for (int i = 0; i < claims; i++) {
				ClaimRequest request = new ClaimRequest(1, Set.of(NoOp.NAME),
						List.of(new ClaimRequest.Share("default", BATCH, after, 0)), BATCH);
				long start = System.nanoTime();
				List<ClaimedJob> jobs = store.claim(request);
				millis[i] = (System.nanoTime() - start) / 1e6;
				if (jobs.size() != BATCH) {
					throw new IllegalStateException(jobs.size() + " jobs were claimed, not " + BATCH);
				}
				List<Settlement.Succeeded> done = new ArrayList<>(jobs.size());
				for (ClaimedJob job : jobs) {
					done.add(new Settlement.Succeeded(job.id(), job.lease(), null, null));
					after = Math.max(after, job.id());
				}
				if (!store.settle(Settlement.Succeeded.class, done).isEmpty()) {
					throw new IllegalStateException("Jobs were lost");
				}
			}
			Percentiles.of(millis).addTo(round, who, 0.5, 0.99);
		}
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atMost(1.3, "p50 many waiting", "p50 few waiting"),
				Target.atMost(1.3, "p50 scheduled waiting", "p50 few waiting"));
	}

}
