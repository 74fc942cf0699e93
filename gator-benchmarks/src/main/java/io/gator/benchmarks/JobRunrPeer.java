package io.gator.benchmarks;

import java.time.Duration;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.configuration.JobRunrConfiguration;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;

/**
 * JobRunr, the open edition, with Jackson 3, the shortest poll interval that it allows
 * and as many workers as Gator has slots.
 */
final class JobRunrPeer implements Contestant {

	static final Duration POLL_INTERVAL = Duration.ofSeconds(5);

	private final Database database;

	private final int workers;

	JobRunrPeer(Database database, int workers) {
		this.database = database;
		this.workers = workers;
	}

	@Override
	public String name() {
		return "jobrunr";
	}

	void create() {
		try (HikariDataSource pool = this.database.pool(2)) {
			new PostgresStorageProvider(pool).close();
		}
	}

	@Override
	public void reset() throws Exception {
		this.database.execute("truncate jobrunr_jobs, jobrunr_recurring_jobs, jobrunr_backgroundjobservers",
				"delete from jobrunr_metadata where name <> 'database_version'", "checkpoint");
	}

	@Override
	public void load(int jobs) throws Exception {
		dispatchMany(jobs);
		this.database.execute("analyze jobrunr_jobs");
	}

	@Override
	public double drain(int jobs) throws Exception {
		Compilers.awaitIdle();
		Progress progress = Progress.expect(jobs);
		try (HikariDataSource pool = this.database.pool(this.workers + 5)) {
			configure(pool)
				.useBackgroundJobServer(BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
					.andWorkerCount(this.workers)
					.andPollInterval(POLL_INTERVAL))
				.initialize();
			try {
				progress.await();
				long end = awaitSucceeded(jobs);
				progress.requireExactly();
				return Contestant.rate(jobs, end - progress.firstStart());
			}
			finally {
				JobRunr.destroy();
			}
		}
	}

	private JobRunrConfiguration configure(HikariDataSource pool) {
		return JobRunr.configure()
			.useJsonMapper(new Jackson3JsonMapper())
			.useStorageProvider(new PostgresStorageProvider(pool));
	}

	private long awaitSucceeded(int jobs) throws Exception {
		while (true) {
			long asked = System.nanoTime();
			if (this.database.number("select count(*) from jobrunr_jobs where state = 'SUCCEEDED'") == jobs) {
				return asked;
			}
			Thread.sleep(10);
		}
	}

	@Override
	public double dispatchMany(int jobs) throws Exception {
		try (HikariDataSource pool = this.database.pool(2)) {
			var scheduler = configure(pool).initialize().getJobRequestScheduler();
			try {
				long start = System.nanoTime();
				scheduler.enqueue(IntStream.range(0, jobs).mapToObj(NoOpRequest::new));
				long end = System.nanoTime();
				if (this.database.number("select count(*) from jobrunr_jobs") != jobs) {
					throw new IllegalStateException("Not all jobs were enqueued");
				}
				return Contestant.rate(jobs, end - start);
			}
			finally {
				JobRunr.destroy();
			}
		}
	}

	/**
	 * Asks for a job that does nothing.
	 *
	 * @param number its argument
	 */
	public record NoOpRequest(long number) implements JobRequest {

		@Override
		public Class<NoOpHandler> getJobRequestHandler() {
			return NoOpHandler.class;
		}

	}

	/**
	 * Does nothing.
	 */
	public static final class NoOpHandler implements JobRequestHandler<NoOpRequest> {

		@Override
		public void run(NoOpRequest request) {
			Progress.tick();
		}

	}

}
