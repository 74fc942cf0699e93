package io.gator.benchmarks;

import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.gator.JobTemplate;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Arguments of a kilobyte and of a hundred.
 */
final class PayloadScenario implements Scenario {

	private final Benchmark benchmark;

	private final GatorTables tables;

	PayloadScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.tables = new GatorTables(benchmark.database());
	}

	@Override
	public String name() {
		return "payload";
	}

	@Override
	public String title() {
		return "arguments of 1 kB, 10 kB and 100 kB";
	}

	@Override
	public Map<String, String> parameters() {
		return Scenario.inOrder("jobs", jobs(1) + " of 1 kB, " + jobs(10) + " of 10 kB, " + jobs(100) + " of 100 kB",
				"text", "does not compress");
	}

	private int jobs(int kilobytes) {
		return this.benchmark.scale().jobs((kilobytes == 1) ? 50_000 : (kilobytes == 10) ? 10_000 : 1000);
	}

	@Override
	public void run(Round round) throws Exception {
		for (int kilobytes : round.turns(List.of(1, 10, 100))) {
			int jobs = jobs(kilobytes);
			this.tables.truncate();
			try (ConfigurableApplicationContext application = GatorApplication.dispatcher(this.benchmark.database())) {
				JobTemplate template = application.getBean(JobTemplate.class);
				List<String> texts = Collections.nCopies(jobs, text(kilobytes * 1000));
				long start = System.nanoTime();
				template.dispatchMany(Payload.class, texts);
				add(round, "dispatch", kilobytes, Contestant.rate(jobs, System.nanoTime() - start));
			}
			add(round, "drain", kilobytes, new Gator(this.benchmark.database(), Benchmark.CONCURRENCY).drain(jobs));
		}
	}

	private static void add(Round round, String what, int kilobytes, double rate) {
		round.add(what + " of " + kilobytes + " kB", "MB/s", rate * kilobytes / 1000);
	}

	private static String text(int length) {
		StringBuilder text = new StringBuilder(length);
		java.util.Random random = new java.util.Random(7);
		for (int i = 0; i < length; i++) {
			text.append((char) ('0' + random.nextInt(75)));
		}
		return text.toString().replace('\\', '/');
	}

	@Override
	public List<Target> targets() {
		return List.of();
	}

}
