package io.gator.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import io.gator.JobTemplate;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Dispatches job after job, each durable when the call returns.
 */
final class SingleDispatchScenario implements Scenario {

	private static final Duration WARM_UP = Duration.ofSeconds(1);

	/**
	 * They take turns within the time, so that both meet what the disk does meanwhile.
	 */
	private static final int SLICES = 16;

	private final Benchmark benchmark;

	private final GatorTables tables;

	private final Duration time;

	SingleDispatchScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.tables = new GatorTables(benchmark.database());
		this.time = benchmark.scale().time(Duration.ofSeconds(8));
	}

	@Override
	public String name() {
		return "single-dispatch";
	}

	@Override
	public String title() {
		return "single dispatches, 1 and 8 threads";
	}

	@Override
	public Map<String, String> parameters() {
		Map<String, String> parameters = new LinkedHashMap<>();
		parameters.put("time", this.time + " each, in " + SLICES + " turns, after " + WARM_UP);
		parameters.put("gator", "dispatch, on the application's pool of 10 connections");
		parameters.put("raw", "the same insert, a connection for each thread");
		return parameters;
	}

	@Override
	public int leastRounds() {
		return 5;
	}

	@Override
	public void run(Round round) throws Exception {
		for (int threads : new int[] { 1, 8 }) {
			this.tables.truncate();
			try (Side gator = gator(threads); Side raw = raw(threads)) {
				List<Side> turns = round.turns(List.of(gator, raw));
				for (Side side : turns) {
					side.dispatch(this.benchmark.scale().time(WARM_UP));
				}
				turns.forEach(Side::forget);
				int before = this.tables.dispatched();
				for (int i = 0; i < SLICES; i++) {
					for (Side side : turns) {
						side.dispatch(this.time.dividedBy(SLICES));
					}
				}
				if (this.tables.dispatched() - before != gator.count + raw.count) {
					throw new IllegalStateException("Not all jobs are there");
				}
				for (Side side : turns) {
					round.add(side.name, "jobs/s", Contestant.rate(side.count, side.nanos));
				}
			}
		}
	}

	private Side gator(int threads) {
		ConfigurableApplicationContext application = GatorApplication.dispatcher(this.benchmark.database());
		JobTemplate template = application.getBean(JobTemplate.class);
		Dispatch dispatch = (number) -> template.dispatch(NoOp.class, number);
		return new Side("gator", Collections.nCopies(threads, dispatch), List.of(application::close));
	}

	private Side raw(int threads) throws SQLException {
		RawLoop raw = new RawLoop(this.benchmark.database(), threads, true, 1);
		List<Dispatch> dispatches = new ArrayList<>();
		List<Release> connections = new ArrayList<>();
		for (int i = 0; i < threads; i++) {
			Connection connection = raw.connect();
			connections.add(connection::close);
			dispatches.add((number) -> raw.insert(connection, "[" + number + "]"));
		}
		return new Side("raw", dispatches, connections);
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(0.9, "gator, 1 thread", "raw, 1 thread"),
				Target.atLeast(0.9, "gator, 8 threads", "raw, 8 threads"));
	}

	/**
	 * Dispatches one job.
	 */
	@FunctionalInterface
	private interface Dispatch {

		long dispatch(long number) throws SQLException;

	}

	/**
	 * One of the two, with its threads.
	 */
	private static final class Side implements AutoCloseable {

		private final String name;

		private final List<Dispatch> dispatches;

		private final List<Release> resources;

		private final ExecutorService threads;

		private long count;

		private long nanos;

		Side(String who, List<Dispatch> dispatches, List<Release> resources) {
			this.name = who + ((dispatches.size() == 1) ? ", 1 thread" : ", " + dispatches.size() + " threads");
			this.dispatches = dispatches;
			this.resources = resources;
			this.threads = Executors.newFixedThreadPool(dispatches.size());
		}

		void forget() {
			this.count = 0;
			this.nanos = 0;
		}

		void dispatch(Duration time) throws Exception {
			long start = System.nanoTime();
			long deadline = start + time.toNanos();
			List<Future<Long>> results = new ArrayList<>();
			for (Dispatch dispatch : this.dispatches) {
				results.add(this.threads.submit(() -> {
					long number = 0;
					while (System.nanoTime() < deadline) {
						dispatch.dispatch(number++);
					}
					return number;
				}));
			}
			for (Future<Long> result : results) {
				this.count += result.get();
			}
			this.nanos += System.nanoTime() - start;
		}

		@Override
		public void close() throws SQLException {
			this.threads.shutdownNow();
			for (Release resource : this.resources) {
				resource.release();
			}
		}

	}

	/**
	 * Gives back what a side has used.
	 */
	@FunctionalInterface
	private interface Release {

		void release() throws SQLException;

	}

}
