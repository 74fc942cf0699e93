package io.gator.benchmarks;

import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.gator.Job;
import io.gator.JobCancelledException;
import io.gator.JobSnoozedException;
import io.gator.RetryWith;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Jobs that end in other ways than by a success alone.
 */
final class OutcomesScenario implements Scenario {

	private static final String IN_A_TRANSACTION = "succeeded, transactional";

	private static final String RAW = "raw, transactional";

	private static final String INSERT = "insert into effect values (?)";

	private final Benchmark benchmark;

	private final Database database;

	private final GatorTables tables;

	private final RawLoop raw;

	private final List<Outcome> outcomes;

	private final Gator gator;

	OutcomesScenario(Benchmark benchmark) {
		this.benchmark = benchmark;
		this.database = benchmark.database();
		this.tables = new GatorTables(this.database);
		this.raw = new RawLoop(this.database, Benchmark.CONCURRENCY, true, 1);
		int jobs = benchmark.scale().jobs(100_000);
		this.outcomes = List.of(new Outcome("succeeded", NoOp.class, jobs, "gator_job_history"),
				new Outcome(IN_A_TRANSACTION, Writes.class, transactions(), "gator_job_history"),
				new Outcome("dead", Dies.class, jobs, "gator_dead_job"),
				new Outcome("failed, to be retried", Fails.class, jobs, "gator_job where error_details is not null"),
				new Outcome("cancelled", Cancels.class, jobs, "gator_job_history"),
				new Outcome("snoozed", Snoozes.class, jobs, "gator_job where next_execution_at is not null"));
		this.gator = new Gator(this.database, Benchmark.CONCURRENCY, "outcomes",
				"spring.main.sources=" + this.outcomes.stream()
					.map((outcome) -> outcome.job().getName())
					.filter((name) -> !name.equals(NoOp.class.getName()))
					.collect(Collectors.joining(",")),
				"logging.level.io.gator.jobs=off");
	}

	private int transactions() {
		return this.benchmark.scale().jobs(20_000);
	}

	@Override
	public String name() {
		return "outcomes";
	}

	@Override
	public String title() {
		return "drain jobs that end in different ways";
	}

	@Override
	public Map<String, String> parameters() {
		Map<String, String> parameters = new LinkedHashMap<>();
		parameters.put("jobs", this.outcomes.get(0).jobs() + ", and " + transactions() + " that are transactional");
		parameters.put("gator", "concurrency " + Benchmark.CONCURRENCY + ", jobs are not logged");
		parameters.put("transactional", "the handler inserts a row");
		parameters.put("raw", Benchmark.CONCURRENCY
				+ " connections, on each the insert and the engine's settlement in one transaction; no claims");
		return parameters;
	}

	@Override
	public int leastRounds() {
		return 5;
	}

	@Override
	public void prepare() throws Exception {
		this.database.execute("create table effect (number bigint)");
	}

	@Override
	public void run(Round round) throws Exception {
		for (Outcome outcome : round.turns(this.outcomes)) {
			load(outcome);
			round.add(outcome.name(), "jobs/s", this.gator.drain(outcome.jobs(), () -> {
				long end = this.tables.awaitRun();
				this.tables.require(outcome.jobs(), outcome.where());
				return end;
			}));
			if (outcome.name().equals(IN_A_TRANSACTION)) {
				this.tables.require(outcome.jobs(), "effect");
				load(outcome);
				round.add(RAW, "jobs/s", raw(outcome.jobs()));
			}
		}
	}

	private void load(Outcome outcome) throws Exception {
		this.tables.truncate();
		this.database.execute("truncate effect");
		this.tables.load(outcome.job().getSimpleName(), outcome.jobs());
	}

	private double raw(int jobs) throws Exception {
		AtomicInteger last = new AtomicInteger();
		return this.raw.drain(jobs, (connection) -> () -> {
			connection.setAutoCommit(false);
			for (int id = last.incrementAndGet(); id <= jobs; id = last.incrementAndGet()) {
				try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
					statement.setLong(1, id);
					statement.executeUpdate();
				}
				this.raw.settle(connection, new long[] { id }, new long[] { 0 }, 1);
				connection.commit();
			}
			return null;
		});
	}

	@Override
	public List<Target> targets() {
		return List.of(Target.atLeast(0.7, IN_A_TRANSACTION, RAW));
	}

	/**
	 * One way to end.
	 *
	 * @param name what it is called
	 * @param job the job that ends like this
	 * @param jobs how many of them are run
	 * @param where where they are afterwards
	 */
	private record Outcome(String name, Class<?> job, int jobs, String where) {

	}

	/** Writes a row, and succeeds with it. */
	@Job(transactional = true)
	static class Writes {

		private final JdbcTemplate jdbc;

		Writes(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		void handle(long number) {
			this.jdbc.update(INSERT, number);
			Progress.tick();
		}

	}

	/** Fails, and has no retry. */
	@Job
	static class Dies {

		void handle(long number) {
			Progress.tick();
			throw new IllegalStateException("as it was told to");
		}

	}

	/** Fails, and has a retry later. */
	@Job
	@RetryWith(interval = "1h")
	static class Fails {

		void handle(long number) {
			Progress.tick();
			throw new IllegalStateException("as it was told to");
		}

	}

	/** Gives up. */
	@Job
	static class Cancels {

		void handle(long number) {
			Progress.tick();
			throw new JobCancelledException("as it was told to");
		}

	}

	/** Puts itself off. */
	@Job
	static class Snoozes {

		void handle(long number) {
			Progress.tick();
			throw new JobSnoozedException(Duration.ofHours(1));
		}

	}

}
