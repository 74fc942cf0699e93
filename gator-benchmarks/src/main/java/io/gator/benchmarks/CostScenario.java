package io.gator.benchmarks;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import io.gator.JobTemplate;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * What a job costs the database, and what an idle pool does.
 */
final class CostScenario implements Scenario {

	private final Benchmark benchmark;

	private final Database database;

	private final GatorTables tables;

	private final int jobs;

	private final Duration idle;

	CostScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.database = benchmark.database();
		this.tables = new GatorTables(this.database);
		this.jobs = benchmark.scale().jobs(200_000);
		this.idle = benchmark.scale().time(Duration.ofSeconds(60));
	}

	@Override
	public String name() {
		return "cost";
	}

	@Override
	public String title() {
		return "WAL and statements for each job, and of an idle pool";
	}

	@Override
	public Map<String, String> parameters() {
		return Scenario.inOrder("jobs", this.jobs + ", dispatched in one call, drained by one pool with history",
				"statements", "by pg_stat_statements, those of the start of the pool included", "WAL",
				"full-page images included", "idle", this.idle.toString());
	}

	@Override
	public void run(Round round) throws Exception {
		this.tables.truncate();
		boolean counts = this.database.countsStatements();
		try (ConfigurableApplicationContext application = GatorApplication.dispatcher(this.database)) {
			List<Long> numbers = LongStream.range(0, this.jobs).boxed().toList();
			double wal = this.database.walPosition();
			application.getBean(JobTemplate.class).dispatchMany(NoOp.class, numbers);
			round.add("WAL of dispatch", "bytes/job", (this.database.walPosition() - wal) / this.jobs);
		}
		if (counts) {
			this.database.resetStatements();
		}
		double wal = this.database.walPosition();
		new Gator(this.database, Benchmark.CONCURRENCY).drain(this.jobs);
		round.add("WAL of claim and settle", "bytes/job", (this.database.walPosition() - wal) / this.jobs);
		if (counts) {
			round.add("statements", "a job", this.database.statements() / this.jobs);
		}
		Thread.sleep(this.benchmark.scale().time(Duration.ofSeconds(2)).toMillis());
		round.add("HOT updates", "%", this.tables.statistic("100.0 * n_tup_hot_upd / greatest(n_tup_upd, 1)"));
		if (counts) {
			idle(round);
		}
	}

	private void idle(Round round) throws Exception {
		try (ConfigurableApplicationContext application = GatorApplication.worker(this.database,
				Benchmark.CONCURRENCY)) {
			Thread.sleep(this.benchmark.scale().time(Duration.ofSeconds(3)).toMillis());
			GatorApplication.requireUp(application);
			this.database.resetStatements();
			long start = System.nanoTime();
			Thread.sleep(this.idle.toMillis());
			double seconds = (System.nanoTime() - start) / 1e9;
			double figures = this.database.statementsForFigures();
			round.add("statements of an idle pool", "a second", (this.database.statements() - figures) / seconds);
			round.add("statements for figures, once in the cluster", "a second", figures / seconds);
		}
	}

	@Override
	public List<Target> targets() {
		// One a second beside the beat, which is one a second; and what falls due at the
		// edges of the time.
		return List.of(Target.atMost(0.02, "statements"), Target.atMost(2.1, "statements of an idle pool"));
	}

}
