package io.gator.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobTemplate;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Items that come one at a time and leave by the thousand.
 */
final class BufferedScenario implements Scenario {

	private static final String GATOR = "gator";

	private static final int DISPATCHERS = 8;

	private static final String BESIDE_ANOTHER = "gator, beside another buffered job";

	/** They look at the same items, and each has to pass over what the others take. */
	private static final String FOUR_POOLS = "gator, four pools";

	private static final String WITH_COLLECT = "spring.main.sources=" + Collect.class.getName();

	private static final String WITH_BOTH = WITH_COLLECT + "," + Idle.class.getName();

	private final Benchmark benchmark;

	private final Database database;

	private final GatorTables tables;

	private final int items;

	private final List<Contestant> raw;

	BufferedScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.database = benchmark.database();
		this.tables = new GatorTables(this.database);
		this.items = benchmark.scale().jobs(100_000);
		this.raw = List.of(new RawLoop(this.database, 1, true, Collect.SIZE, true),
				new RawLoop(this.database, 2, true, Collect.SIZE, true),
				new RawLoop(this.database, 1, true, Collect.SIZE), new RawLoop(this.database, 2, true, Collect.SIZE));
	}

	@Override
	public String name() {
		return "buffered";
	}

	@Override
	public String title() {
		return this.items + " items dispatched singly, handled in batches of " + Collect.SIZE;
	}

	@Override
	public Map<String, String> parameters() {
		Map<String, String> parameters = new LinkedHashMap<>();
		parameters.put("dispatch", "each item in a transaction of its own, " + DISPATCHERS + " threads");
		parameters.put("gator", "concurrency " + Benchmark.CONCURRENCY + ", @Buffered(size = " + Collect.SIZE
				+ "); beside another one that has nothing to do; four pools in one JVM");
		parameters.put("raw",
				"batches of " + Collect.SIZE + "; by the engine's claims of batches, and by its claims of single jobs");
		parameters.put("dead rows", "in gator_job, two seconds after the drain");
		return parameters;
	}

	@Override
	public int leastRounds() {
		return 7;
	}

	@Override
	public void run(Round round) throws Exception {
		List<Contestant> contestants = new ArrayList<>(this.benchmark.takingPart(this.raw));
		contestants.add(new Gator(this.database, Benchmark.CONCURRENCY, GATOR, WITH_COLLECT));
		contestants.add(new Gator(this.database, Benchmark.CONCURRENCY, BESIDE_ANOTHER, WITH_BOTH));
		contestants
			.add(new Gator(this.database, Benchmark.CONCURRENCY, FOUR_POOLS, WITH_COLLECT, pool(2), pool(3), pool(4)));
		for (Contestant contestant : round.turns(contestants)) {
			this.tables.truncate();
			if (contestant.name().equals(GATOR)) {
				round.add("dispatch", "items/s", dispatch());
				gator(round, contestant);
			}
			else if (contestant instanceof Gator) {
				dispatch();
				drain(round, contestant);
			}
			else {
				contestant.load(this.items);
				round.add(contestant.name(), "items/s", contestant.drain(this.items));
			}
		}
	}

	private static String pool(int number) {
		return "gator.worker.pools.pool" + number + ".concurrency=" + Benchmark.CONCURRENCY;
	}

	private void drain(Round round, Contestant gator) throws Exception {
		this.database.execute("analyze gator_job");
		round.add(gator.name(), "items/s", gator.drain(this.items));
	}

	private void gator(Round round, Contestant gator) throws Exception {
		boolean counts = this.database.countsStatements();
		if (counts) {
			this.database.resetStatements();
		}
		drain(round, gator);
		if (counts) {
			round.add("statements", "an item", this.database.statements() / this.items);
		}
		Thread.sleep(this.benchmark.scale().time(Duration.ofSeconds(2)).toMillis());
		round.add("dead rows", "an item", this.tables.statistic("n_dead_tup") / this.items);
	}

	private double dispatch() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(DISPATCHERS);
		try (ConfigurableApplicationContext application = GatorApplication.dispatcher(this.database, WITH_COLLECT)) {
			JobTemplate jobs = application.getBean(JobTemplate.class);
			AtomicLong next = new AtomicLong();
			long start = System.nanoTime();
			List<Future<?>> running = new ArrayList<>();
			for (int i = 0; i < DISPATCHERS; i++) {
				running.add(threads.submit(() -> {
					for (long item = next.getAndIncrement(); item < this.items; item = next.getAndIncrement()) {
						jobs.dispatch(Collect.class, item);
					}
				}));
			}
			for (Future<?> one : running) {
				one.get();
			}
			long end = System.nanoTime();
			if (this.tables.dispatched() != this.items) {
				throw new IllegalStateException(this.tables.dispatched() + " items of " + this.items);
			}
			return Contestant.rate(this.items, end - start);
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(0.8, GATOR, this.raw.stream().map(Contestant::name).toArray(String[]::new)),
				Target.atLeast(0.8, BESIDE_ANOTHER, GATOR), Target.atLeast(0.5, FOUR_POOLS, GATOR));
	}

	/**
	 * Has nothing to do, and must not keep the other one waiting.
	 */
	@Job
	@Buffered(size = Collect.SIZE, maxWait = "1s")
	static class Idle {

		void handle(List<Long> numbers) {
			throw new IllegalStateException("Nobody dispatches this job");
		}

	}

}
