package io.gator.benchmarks;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
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

	private final Benchmark benchmark;

	private final GatorTables tables;

	private final Duration time;

	SingleDispatchScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.tables = new GatorTables(benchmark.database());
		this.time = benchmark.scale().time(Duration.ofSeconds(4));
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
		parameters.put("time", this.time + " each, after " + WARM_UP);
		parameters.put("gator", "dispatch, on the application's pool of 10 connections");
		parameters.put("raw", "the same insert, a connection for each thread");
		return parameters;
	}

	@Override
	public void run(Round round) throws Exception {
		for (int threads : new int[] { 1, 8 }) {
			String suffix = (threads == 1) ? ", 1 thread" : ", " + threads + " threads";
			for (String who : round.turns(List.of("gator", "raw"))) {
				this.tables.truncate();
				double rate = who.equals("gator") ? gator(threads) : raw(threads);
				round.add(who + suffix, "jobs/s", rate);
			}
		}
	}

	private double gator(int threads) throws Exception {
		try (ConfigurableApplicationContext application = GatorApplication.dispatcher(this.benchmark.database())) {
			JobTemplate template = application.getBean(JobTemplate.class);
			List<Dispatch> dispatches = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				dispatches.add((number) -> template.dispatch(NoOp.class, number));
			}
			return rate(dispatches);
		}
	}

	private double raw(int threads) throws Exception {
		RawLoop raw = new RawLoop(this.benchmark.database(), 1, true, 1);
		List<Connection> connections = new ArrayList<>();
		try {
			List<Dispatch> dispatches = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				Connection connection = this.benchmark.database().connect();
				connections.add(connection);
				dispatches.add((number) -> raw.insert(connection, "[" + number + "]"));
			}
			return rate(dispatches);
		}
		finally {
			for (Connection connection : connections) {
				connection.close();
			}
		}
	}

	private double rate(List<Dispatch> dispatches) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(dispatches.size());
		try {
			run(threads, dispatches, this.benchmark.scale().time(WARM_UP));
			int before = this.tables.dispatched();
			long start = System.nanoTime();
			long count = run(threads, dispatches, this.time);
			long end = System.nanoTime();
			if (this.tables.dispatched() - before != count) {
				throw new IllegalStateException("Not all jobs are there");
			}
			return Contestant.rate(count, end - start);
		}
		finally {
			threads.shutdownNow();
		}
	}

	private static long run(ExecutorService threads, List<Dispatch> dispatches, Duration time) throws Exception {
		long deadline = System.nanoTime() + time.toNanos();
		List<Future<Long>> results = new ArrayList<>();
		for (Dispatch dispatch : dispatches) {
			results.add(threads.submit(() -> {
				long count = 0;
				while (System.nanoTime() < deadline) {
					dispatch.dispatch(count++);
				}
				return count;
			}));
		}
		long sum = 0;
		for (Future<Long> result : results) {
			sum += result.get();
		}
		return sum;
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

}
