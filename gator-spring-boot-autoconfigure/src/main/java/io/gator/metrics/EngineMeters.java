package io.gator.metrics;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.gator.routing.Routes;
import io.gator.worker.AttemptOutcome;
import io.gator.worker.WorkerMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * Counts what the engine does in this process. Called for every job.
 */
public final class EngineMeters implements WorkerMetrics {

	private final MeterRegistry registry;

	private final JobMeters jobs;

	private final Map<String, Statements> pools = new ConcurrentHashMap<>();

	private final Counter rescued;

	/**
	 * Create the meters.
	 * @param registry where they are
	 * @param routes the jobs of this application
	 * @param queues the queues
	 */
	public EngineMeters(MeterRegistry registry, Routes routes, BoundedNames queues) {
		this.registry = registry;
		this.jobs = new JobMeters(registry, routes::nameOf, queues);
		this.rescued = Counter.builder("gator.rescued")
			.description("Jobs that this process took from pools that were gone")
			.baseUnit("jobs")
			.register(registry);
	}

	@Override
	public void executed(String name, String queue, AttemptOutcome outcome, long nanos) {
		this.jobs.of(name, queue).executed(outcome).record(nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void waited(String name, String queue, long nanos) {
		this.jobs.of(name, queue).waited().record(nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public void dispatched(String name, String queue, int jobs) {
		this.jobs.of(name, queue).dispatched().increment(jobs);
	}

	@Override
	public void claimed(String pool, int jobs, long nanos) {
		Statements meters = pool(pool);
		meters.claims.record(nanos, TimeUnit.NANOSECONDS);
		meters.claimed.record(jobs);
	}

	@Override
	public void settled(String pool, int jobs, long nanos) {
		Statements meters = pool(pool);
		meters.settles.record(nanos, TimeUnit.NANOSECONDS);
		meters.settled.record(jobs);
	}

	@Override
	public void leasesLost(String pool, int jobs) {
		pool(pool).leasesLost.increment(jobs);
	}

	@Override
	public void rescued(int jobs) {
		this.rescued.increment(jobs);
	}

	private Statements pool(String pool) {
		Statements known = this.pools.get(pool);
		return (known != null) ? known
				: this.pools.computeIfAbsent(pool, (name) -> new Statements(this.registry, name));
	}

	private static final class Statements {

		private final Timer claims;

		private final DistributionSummary claimed;

		private final Timer settles;

		private final DistributionSummary settled;

		private final Counter leasesLost;

		Statements(MeterRegistry registry, String pool) {
			this.claims = Timer.builder("gator.claims")
				.description("Claims of one or more statements each, those that find nothing included")
				.tag("pool", pool)
				.register(registry);
			this.claimed = DistributionSummary.builder("gator.claims.jobs")
				.description("How many jobs a claim brought")
				.baseUnit("jobs")
				.tag("pool", pool)
				.register(registry);
			this.settles = Timer.builder("gator.settles")
				.description("Statements that write outcomes")
				.tag("pool", pool)
				.register(registry);
			this.settled = DistributionSummary.builder("gator.settles.jobs")
				.description("How many outcomes a statement wrote")
				.baseUnit("jobs")
				.tag("pool", pool)
				.register(registry);
			this.leasesLost = Counter.builder("gator.leases.lost")
				.description("Results that came too late and were dropped: the job was not this pool's any more")
				.baseUnit("jobs")
				.tag("pool", pool)
				.register(registry);
		}

	}

}
