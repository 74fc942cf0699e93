package io.gator.benchmarks;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.gator.JobTemplate;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * How late delayed jobs begin.
 */
final class DelayScenario implements Scenario {

	private final Benchmark benchmark;

	private final GatorTables tables;

	private final int jobs;

	private final Duration window;

	/** Time enough to dispatch them all before the first is due. */
	private final Duration ahead;

	DelayScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.tables = new GatorTables(benchmark.database());
		this.jobs = benchmark.scale().jobs(1000);
		this.window = benchmark.scale().time(Duration.ofSeconds(10));
		this.ahead = Duration.ofMillis(5000 + 10L * this.jobs);
	}

	@Override
	public String name() {
		return "delay";
	}

	@Override
	public String title() {
		return "lateness of " + this.jobs + " delayed jobs";
	}

	@Override
	public Map<String, String> parameters() {
		return Scenario.inOrder("due", "at random times within " + this.window + ", an idle pool");
	}

	@Override
	public void run(Round round) throws Exception {
		this.tables.truncate();
		Progress progress = Progress.expect(this.jobs);
		try (ConfigurableApplicationContext application = GatorApplication.worker(this.benchmark.database(),
				Benchmark.CONCURRENCY)) {
			JobTemplate template = application.getBean(JobTemplate.class);
			Random random = new Random(42);
			Instant from = Instant.now().plus(this.ahead);
			Instant[] due = new Instant[this.jobs];
			for (int i = 0; i < this.jobs; i++) {
				due[i] = from.plus((long) (random.nextDouble() * this.window.toNanos() / 1000), ChronoUnit.MICROS);
				template.to(Stamp.class).at(due[i]).dispatch(i);
			}
			if (Instant.now().isAfter(from)) {
				throw new IllegalStateException("The first jobs were due before the last was dispatched");
			}
			progress.await();
			this.tables.awaitSettled();
			progress.requireExactly();
			double[] late = new double[this.jobs];
			int early = 0;
			for (int i = 0; i < this.jobs; i++) {
				late[i] = (Stamp.micros(i) - ChronoUnit.MICROS.between(Instant.EPOCH, due[i])) / 1e3;
				if (late[i] < 0) {
					early++;
				}
			}
			if (early > 0) {
				throw new IllegalStateException(early + " jobs began early");
			}
			Percentiles.of(late).addTo(round, "late", 0.5, 0.99, 1);
		}
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atMost(25, "p99 late"));
	}

}
