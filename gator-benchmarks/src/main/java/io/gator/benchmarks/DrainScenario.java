package io.gator.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Drains a backlog of jobs that do nothing.
 */
final class DrainScenario implements Scenario {

	private static final String UNSEEN = "gator, no meters and no observations";

	private final Benchmark benchmark;

	private final int jobs;

	private final int dbSchedulerJobs;

	private final int jobRunrJobs;

	private final DbScheduler dbScheduler;

	private final List<RawLoop> raw;

	private final List<Contestant> contestants = new ArrayList<>();

	DrainScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		Database database = benchmark.database();
		this.jobs = benchmark.scale().jobs(200_000);
		this.dbSchedulerJobs = benchmark.scale().jobs(50_000);
		this.jobRunrJobs = benchmark.scale().jobs(10_000);
		this.dbScheduler = new DbScheduler(database);
		this.raw = List.of(new RawLoop(database, 1, true, 1000), new RawLoop(database, 2, true, 1000),
				new RawLoop(database, 1, false, 1000), new RawLoop(database, 2, false, 1000));
		this.contestants.add(new Gator(database, Benchmark.CONCURRENCY));
		this.contestants.addAll(this.raw);
		this.contestants
			.add(new Gator(database, Benchmark.CONCURRENCY, "gator, no history", "gator.history.retention=0"));
		this.contestants.add(new Gator(database, Benchmark.CONCURRENCY, UNSEEN, "gator.observations=never",
				"spring.autoconfigure.exclude=io.gator.autoconfigure.GatorMetricsAutoConfiguration"));
		this.contestants.add(this.dbScheduler);
		this.contestants.add(new JobRunrPeer(database, Benchmark.CONCURRENCY));
	}

	@Override
	public String name() {
		return "drain";
	}

	@Override
	public String title() {
		return "drain " + this.jobs + " no-op jobs, one JVM";
	}

	@Override
	public Map<String, String> parameters() {
		Map<String, String> parameters = new LinkedHashMap<>();
		parameters.put("jobs", this.jobs + " (db-scheduler " + this.dbSchedulerJobs + ", JobRunr " + this.jobRunrJobs
				+ ": rates, and fewer rows are in their favour)");
		parameters.put("gator", "concurrency " + Benchmark.CONCURRENCY);
		for (RawLoop loop : this.raw) {
			parameters.put(loop.name(), "batches of " + loop.batch());
		}
		parameters.put("db-scheduler", "best of " + candidates().size() + " found: " + this.dbScheduler.settings());
		parameters.put("jobrunr", Benchmark.CONCURRENCY + " workers, polls every " + JobRunrPeer.POLL_INTERVAL);
		return parameters;
	}

	private List<DbScheduler.Settings> candidates() {
		List<DbScheduler.Settings> candidates = new ArrayList<>();
		for (int threads : new int[] { 10, 20, 50, 100 }) {
			candidates.add(new DbScheduler.Settings(threads, 0.5, 1));
			candidates.add(new DbScheduler.Settings(threads, 0.5, 4));
			candidates.add(new DbScheduler.Settings(threads, 1, 4));
			candidates.add(new DbScheduler.Settings(threads, 2, 10));
		}
		return candidates;
	}

	@Override
	public void prepare() throws Exception {
		if (this.benchmark.scale().isSmoke()) {
			return;
		}
		for (RawLoop loop : this.raw) {
			if (this.benchmark.takesPart(loop.name())) {
				loop.searchBatch(this.jobs / 2, 500, 1000, 2000);
			}
		}
		if (this.benchmark.takesPart(this.dbScheduler.name())) {
			this.dbScheduler.search(this.benchmark.scale().jobs(10_000), candidates());
		}
	}

	@Override
	public int leastRounds() {
		return 7;
	}

	@Override
	public void run(Round round) throws Exception {
		for (Contestant contestant : round.turns(this.benchmark.takingPart(this.contestants))) {
			int count = (contestant instanceof DbScheduler) ? this.dbSchedulerJobs
					: (contestant instanceof JobRunrPeer) ? this.jobRunrJobs : this.jobs;
			contestant.reset();
			contestant.load(count);
			long processor = Processor.nanos();
			round.add(contestant.name(), "jobs/s", contestant.drain(count));
			round.add(contestant.name() + ": client's processor", "µs/job",
					(Processor.nanos() - processor) / 1e3 / count);
		}
	}

	/** After one, the compiler is still at it, and whoever comes first is slower. */
	@Override
	public int warmUps() {
		return 3;
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(0.6, "gator", this.raw.get(0).name(), this.raw.get(1).name()),
				Target.atLeast(10, "gator", "db-scheduler"), Target.atLeast(40, "gator", "jobrunr"),
				Target.atLeast(0.95, "gator", UNSEEN));
	}

}
