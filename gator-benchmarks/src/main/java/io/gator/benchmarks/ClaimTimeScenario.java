package io.gator.benchmarks;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.DoubleStream;

import com.zaxxer.hikari.HikariDataSource;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.EngineDataSource;
import io.gator.store.GatorStores;
import io.gator.store.JobStore;
import io.gator.store.Settlement;

/**
 * The time of a claim, as the engine sends it, against the number of jobs that wait.
 */
final class ClaimTimeScenario implements Scenario {

	private static final int CLAIMS = 200;

	private static final int BATCH = 100;

	private static final Duration TIMEOUT = Duration.ofMinutes(1);

	private final Benchmark benchmark;

	private final int few;

	private final int many;

	private final int scheduled;

	ClaimTimeScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
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
		return Scenario.inOrder("claims",
				"up to " + CLAIMS + " of " + BATCH + " jobs each, settled in between; vacuumed before", "tables",
				"of their own in one database, claimed from in turns");
	}

	@Override
	public int mostRounds() {
		return 3;
	}

	@Override
	public void run(Round round) throws Exception {
		try (Backlog few = new Backlog("few");
				Backlog many = new Backlog("many");
				Backlog scheduled = new Backlog("scheduled")) {
			many.tables.load(NoOp.NAME, this.many);
			scheduled.tables.loadScheduled(NoOp.NAME, this.scheduled);
			for (Backlog backlog : List.of(few, scheduled)) {
				backlog.tables.load(NoOp.NAME, this.few);
			}
			for (Backlog backlog : List.of(many, scheduled, few)) {
				backlog.tables.settleDown();
			}
			int claims = Math.min(CLAIMS, this.few / BATCH);
			List<Backlog> turns = round.turns(List.of(few, many, scheduled));
			// One after the other with each claim: what else the disk and the processors
			// have to do after a load of millions meets all of them.
			for (int i = 0; i < claims; i++) {
				for (Backlog backlog : turns) {
					backlog.claim();
				}
			}
			for (Backlog backlog : turns) {
				Percentiles.of(backlog.times()).addTo(round, backlog.name + " waiting", 0.5, 0.99);
			}
		}
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atMost(1.3, "p50 many waiting", "p50 few waiting"),
				Target.atMost(1.3, "p50 scheduled waiting", "p50 few waiting"));
	}

	/**
	 * Jobs that wait in tables of their own, and a connection to claim them.
	 */
	private final class Backlog implements AutoCloseable {

		private final String name;

		private final Database database;

		private final GatorTables tables;

		private final HikariDataSource application;

		private final EngineDataSource engine;

		private final JobStore store;

		private final DoubleStream.Builder millis = DoubleStream.builder();

		private long after;

		Backlog(String name) throws SQLException {
			this.name = name;
			this.database = ClaimTimeScenario.this.benchmark.database().beside(name);
			this.database.createSchema();
			this.tables = new GatorTables(this.database);
			this.tables.create();
			this.application = this.database.pool(1);
			this.engine = EngineDataSource.derive(this.application, 1, TIMEOUT);
			this.store = GatorStores.open(this.engine, this.database.schema(), TIMEOUT, true).jobs();
		}

		/**
		 * Claim the next jobs, take the time of it, and settle them.
		 */
		void claim() {
			ClaimRequest request = new ClaimRequest(1, Set.of(NoOp.NAME),
					List.of(new ClaimRequest.Share("default", BATCH, this.after, 0)), BATCH);
			long start = System.nanoTime();
			List<ClaimedJob> jobs = this.store.claim(request);
			this.millis.add((System.nanoTime() - start) / 1e6);
			if (jobs.size() != BATCH) {
				throw new IllegalStateException(jobs.size() + " jobs were claimed, not " + BATCH);
			}
			List<Settlement.Succeeded> done = new ArrayList<>(jobs.size());
			for (ClaimedJob job : jobs) {
				done.add(new Settlement.Succeeded(job.id(), job.lease(), null, null));
				this.after = Math.max(this.after, job.id());
			}
			if (!this.store.settle(Settlement.Succeeded.class, done).isEmpty()) {
				throw new IllegalStateException("Jobs were lost");
			}
		}

		/**
		 * What the claims took.
		 * @return milliseconds
		 */
		double[] times() {
			return this.millis.build().toArray();
		}

		@Override
		public void close() throws SQLException {
			this.engine.close();
			this.application.close();
			this.database.dropSchema();
		}

	}

}
