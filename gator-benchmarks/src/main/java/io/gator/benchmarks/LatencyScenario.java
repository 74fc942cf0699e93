package io.gator.benchmarks;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToLongFunction;

import io.gator.JobTemplate;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * From the call of dispatch to the first line of the handler, with an idle pool.
 */
final class LatencyScenario implements Scenario {

	private static final int PER_SECOND = 100;

	private static final String RAW = "raw";

	private final Benchmark benchmark;

	private final GatorTables tables;

	private final int warmUp;

	private final int count;

	LatencyScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.tables = new GatorTables(benchmark.database());
		this.warmUp = (int) (benchmark.scale().time(Duration.ofSeconds(5)).toMillis() * PER_SECOND / 1000);
		this.count = (int) (benchmark.scale().time(Duration.ofSeconds(15)).toMillis() * PER_SECOND / 1000);
	}

	@Override
	public String name() {
		return "latency";
	}

	@Override
	public String title() {
		return "dispatch to start, idle pool, " + PER_SECOND + " dispatches/s";
	}

	@Override
	public Map<String, String> parameters() {
		return Scenario.inOrder("dispatches", this.count + " after " + this.warmUp, "from",
				"the call of dispatch; 'committed' is from its return", "raw",
				"an insert on one connection and then a claim on another, by one thread, as often");
	}

	@Override
	public void run(Round round) throws Exception {
		for (String who : round.turns(List.of("other", "same", RAW))) {
			this.tables.truncate();
			switch (who) {
				case "other" -> otherJvm(round);
				case "same" -> sameJvm(round);
				default -> raw(round);
			}
		}
	}

	private void otherJvm(Round round) throws Exception {
		try (ConfigurableApplicationContext application = GatorApplication.dispatcher(this.benchmark.database());
				Child child = Child.start(this.benchmark.database(), Benchmark.CONCURRENCY,
						this.benchmark.scale().jvm())) {
			measure(round, "other JVM", application.getBean(JobTemplate.class), () -> {
				String[] stamps = child.ask(WorkerMain.STAMPS + (this.warmUp + this.count)).split(" ");
				return (number) -> Long.parseLong(stamps[number]);
			});
		}
	}

	private void sameJvm(Round round) throws Exception {
		Progress.expect(Long.MAX_VALUE);
		try (ConfigurableApplicationContext application = GatorApplication.worker(this.benchmark.database(),
				Benchmark.CONCURRENCY)) {
			measure(round, "same JVM", application.getBean(JobTemplate.class), () -> Stamp::nanos);
		}
	}

	private void raw(Round round) throws Exception {
		RawLoop raw = new RawLoop(this.benchmark.database(), 2, true, 1);
		try (Connection inserting = raw.connect(); Connection claiming = raw.connect()) {
			double[] latencies = new double[this.count];
			paced(this.warmUp + this.count, (number) -> {
				long start = System.nanoTime();
				long id = raw.insert(inserting, "[" + number + "]");
				if (raw.claim(claiming, id - 1, new long[1], new long[1]) != 1) {
					throw new IllegalStateException("Job " + id + " was not claimed");
				}
				if (number >= this.warmUp) {
					latencies[number - this.warmUp] = (System.nanoTime() - start) / 1e6;
				}
			});
			Percentiles.of(latencies).addTo(round, RAW, 0.5, 0.99);
		}
	}

	private static void paced(int times, Step step) throws Exception {
		long next = System.nanoTime();
		for (int i = 0; i < times; i++) {
			for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
				LockSupport.parkNanos(left);
			}
			step.run(i);
			next += 1_000_000_000L / PER_SECOND;
		}
	}

	private void measure(Round round, String where, JobTemplate template, Stamps stamps) throws Exception {
		int all = this.warmUp + this.count;
		long[] called = new long[all];
		long[] returned = new long[all];
		paced(all, (number) -> {
			called[number] = System.nanoTime();
			template.dispatch(Stamp.class, number);
			returned[number] = System.nanoTime();
		});
		this.tables.awaitSettled();
		IntToLongFunction started = stamps.get();
		double[] latencies = new double[this.count];
		double[] committed = new double[this.count];
		for (int i = 0; i < this.count; i++) {
			int number = this.warmUp + i;
			if (started.applyAsLong(number) == 0) {
				throw new IllegalStateException("Job " + number + " did not run");
			}
			latencies[i] = (started.applyAsLong(number) - called[number]) / 1e6;
			committed[i] = (started.applyAsLong(number) - returned[number]) / 1e6;
		}
		Percentiles.of(latencies).addTo(round, where, 0.5, 0.99);
		Percentiles.of(committed).addTo(round, where + ", committed", 0.5, 0.99);
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atMost(3, "p50 other JVM"), Target.atMost(15, "p99 other JVM"),
				Target.atMost(1.5, "p50 same JVM"));
	}

	/**
	 * What is done again and again.
	 */
	@FunctionalInterface
	private interface Step {

		void run(int number) throws Exception;

	}

	/**
	 * Gets the times at which jobs began.
	 */
	@FunctionalInterface
	private interface Stamps {

		IntToLongFunction get() throws Exception;

	}

}
