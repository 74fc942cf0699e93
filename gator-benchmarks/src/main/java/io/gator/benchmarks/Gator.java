package io.gator.benchmarks;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;

import io.gator.JobTemplate;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Gator, as an application uses it.
 */
final class Gator implements Contestant {

	private final Database database;

	private final GatorTables tables;

	private final int concurrency;

	private final String name;

	private final String[] properties;

	Gator(Database database, int concurrency) {
		this(database, concurrency, "gator");
	}

	Gator(Database database, int concurrency, String name, String... properties) {
		this.database = database;
		this.tables = new GatorTables(database);
		this.concurrency = concurrency;
		this.name = name;
		this.properties = properties;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public void reset() throws Exception {
		this.tables.truncate();
	}

	@Override
	public void load(int jobs) throws Exception {
		this.tables.load(NoOp.NAME, jobs);
	}

	@Override
	public double drain(int jobs) throws Exception {
		return drain(jobs, () -> {
			long end = this.tables.awaitSettled();
			if (List.of(this.properties).stream().noneMatch((property) -> property.contains("history"))) {
				this.tables.requireHistory(jobs);
			}
			return end;
		});
	}

	/**
	 * Run jobs that were loaded, with a fresh engine.
	 * @param jobs how many
	 * @param settled waits until their outcomes are written, checks them, and tells when
	 * that was
	 * @return jobs a second
	 */
	double drain(int jobs, Callable<Long> settled) throws Exception {
		return Profiler.profile(this.name, this.database, () -> {
			Progress progress = Progress.expect(jobs);
			// Nothing is claimed before the application is up and compiled. Its start
			// takes as much of the processors as some ten thousand jobs, and the raw loop
			// has none.
			this.tables.pause();
			try (ConfigurableApplicationContext application = GatorApplication.worker(this.database, this.concurrency,
					this.properties)) {
				Compilers.awaitIdle();
				this.tables.resume();
				progress.await();
				long end = settled.call();
				GatorApplication.requireUp(application);
				progress.requireExactly();
				return Contestant.rate(jobs, end - progress.firstStart());
			}
		});
	}

	@Override
	public double dispatchMany(int jobs) throws Exception {
		try (ConfigurableApplicationContext application = GatorApplication.dispatcher(this.database)) {
			JobTemplate template = application.getBean(JobTemplate.class);
			List<Long> numbers = LongStream.range(0, jobs).boxed().toList();
			// As many before: after the start of an application its code is compiled for
			// a while, and no other contestant has one to start.
			template.dispatchMany(NoOp.class, numbers);
			reset();
			return Profiler.profile(this.name + " dispatch", this.database, () -> {
				long start = System.nanoTime();
				List<Long> ids = template.dispatchMany(NoOp.class, numbers);
				long end = System.nanoTime();
				if (ids.size() != jobs || this.tables.dispatched() != jobs) {
					throw new IllegalStateException(ids.size() + " jobs of " + jobs + " were dispatched");
				}
				return Contestant.rate(jobs, end - start);
			});
		}
	}

}
