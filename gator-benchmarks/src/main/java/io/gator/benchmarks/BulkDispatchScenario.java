package io.gator.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Dispatches many jobs at once, each contestant in its best way.
 */
final class BulkDispatchScenario implements Scenario {

	private final Benchmark benchmark;

	private final int jobs;

	private final int jobRunrJobs;

	private final RawLoop raw;

	private final List<DbScheduler> dbSchedulers;

	private final List<Contestant> contestants = new ArrayList<>();

	BulkDispatchScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		Database database = benchmark.database();
		this.jobs = benchmark.scale().jobs(200_000);
		this.jobRunrJobs = benchmark.scale().jobs(50_000);
		this.raw = new RawLoop(database, 1, true, 1000);
		this.dbSchedulers = List.of(new DbScheduler(database),
				new DbScheduler(database, "db-scheduler, driver rewrites batches", true));
		this.contestants.add(new Gator(database, Benchmark.CONCURRENCY));
		this.contestants.add(this.raw);
		this.contestants.addAll(this.dbSchedulers);
		this.contestants.add(new JobRunrPeer(database, Benchmark.CONCURRENCY));
	}

	@Override
	public String name() {
		return "bulk-dispatch";
	}

	@Override
	public String title() {
		return "bulk dispatch of " + this.jobs + " jobs";
	}

	@Override
	public Map<String, String> parameters() {
		Map<String, String> parameters = new LinkedHashMap<>();
		parameters.put("jobs", this.jobs + " (JobRunr " + this.jobRunrJobs + ")");
		parameters.put("gator", "dispatchMany, all or none, after as many by the application that was just started");
		parameters.put(this.raw.name(),
				"insert … select from unnest, best chunk found: " + this.raw.chunk() + ", one transaction");
		for (DbScheduler each : this.dbSchedulers) {
			parameters.put(each.name(), "scheduleBatch, best chunk found: " + each.chunk());
		}
		parameters.put("jobrunr", "enqueue(Stream)");
		return parameters;
	}

	@Override
	public void prepare() throws Exception {
		if (this.benchmark.scale().isSmoke()) {
			return;
		}
		if (this.benchmark.takesPart(this.raw.name())) {
			this.raw.searchChunk(this.jobs, 500, 1000, 2000, 5000);
		}
		for (DbScheduler each : this.dbSchedulers) {
			if (this.benchmark.takesPart(each.name())) {
				each.searchChunk(this.benchmark.scale().jobs(50_000), 100, 1000, 10_000);
			}
		}
	}

	@Override
	public int leastRounds() {
		return 9;
	}

	@Override
	public void run(Round round) throws Exception {
		for (Contestant contestant : round.turns(this.benchmark.takingPart(this.contestants))) {
			int count = (contestant instanceof JobRunrPeer) ? this.jobRunrJobs : this.jobs;
			contestant.reset();
			round.add(contestant.name(), "jobs/s", contestant.dispatchMany(count));
		}
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(0.8, "gator", this.raw.name()), Target.atLeast(4, "gator", "db-scheduler"));
	}

}
