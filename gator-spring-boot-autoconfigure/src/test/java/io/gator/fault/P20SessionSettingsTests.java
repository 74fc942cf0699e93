package io.gator.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.Job;
import io.gator.JobArgs;
import io.gator.JobContext;
import io.gator.JobTemplate;
import io.gator.RetryWith;
import io.gator.Unique;
import io.gator.test.DatabaseHandle;
import io.gator.test.TestApplication;
import io.gator.test.TestDatabase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * P20: any session settings work.
 */
class P20SessionSettingsTests {

	@ParameterizedTest
	@ValueSource(strings = { "statement_timeout = '20ms'", "lock_timeout = '1ms'",
			"idle_in_transaction_session_timeout = '20ms'", "idle_session_timeout = '1s'",
			"transaction_timeout = '20ms'", "timezone = 'Pacific/Kiritimati'", "search_path = 'nowhere'",
			"default_transaction_isolation = 'serializable'", "datestyle = 'SQL, DMY'",
			"intervalstyle = 'postgres_verbose'", "plan_cache_mode = 'force_custom_plan'", "enable_indexscan = off",
			"extra_float_digits = '-10'", "bytea_output = 'escape'", "jit = on" })
	void whateverTheDatabaseSetsForItsSessionsJobsRun(String setting) {
		try (DatabaseHandle database = TestDatabase.create()) {
			JdbcClient jdbc = database.jdbc();
			assumeThat(known(jdbc, setting.split(" ")[0])).as("not known to all versions").isNotEmpty();
			jdbc.sql("create table effect (job bigint)").update();
			jdbc.sql("alter database " + database.name() + " set " + setting).update();
			runJobs(database, "public", (setting.contains("20ms") || setting.contains("lock_timeout")) ? 100 : 0);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.datasource.hikari.auto-commit=false",
			"spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ",
			"spring.datasource.hikari.schema=pg_catalog", "gator.schema=elsewhere",
			"spring.datasource.hikari.maximum-pool-size=1", "gator.worker.wake-up=poll" })
	void whateverTheApplicationSetsForItsConnectionsJobsRun(String property) {
		runJobs(property.startsWith("gator.schema") ? "elsewhere" : "public", property);
	}

	@ParameterizedTest
	@ValueSource(strings = { "preferQueryMode=simple", "preferQueryMode=extendedForPrepared",
			"preferQueryMode=extendedCacheEverything", "prepareThreshold=-1", "preparedStatementCacheQueries=0",
			"binaryTransfer=false", "stringtype=unspecified", "defaultRowFetchSize=1", "autosave=always",
			"reWriteBatchedInserts=true" })
	void whateverTheApplicationSetsForTheDriverJobsRun(String option) {
		runJobs("public", "spring.datasource.hikari.data-source-properties." + option);
	}

	@ParameterizedTest
	@CsvSource({ "REPEATABLE_READ, true", "REPEATABLE_READ, false", "SERIALIZABLE, true", "SERIALIZABLE, false" })
	void whoeverWaitsForAUniqueKeyIsGivenTheJobThatHasIt(String isolation, boolean autoCommit) throws Exception {
		ExecutorService others = Executors.newFixedThreadPool(2);
		try (DatabaseHandle database = TestDatabase.create();
				TestApplication application = TestApplication.start(database, List.of(Unrepeated.class),
						"gator.worker.enabled=false",
						"spring.datasource.hikari.transaction-isolation=TRANSACTION_" + isolation,
						"spring.datasource.hikari.auto-commit=" + autoCommit)) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			List<Future<Long>> waiting = new ArrayList<>();
			long id = new TransactionTemplate(application.bean(PlatformTransactionManager.class)).execute((status) -> {
				long first = jobs.dispatch(Unrepeated.class, 1);
				waiting.add(others.submit(() -> jobs.dispatch(Unrepeated.class, 1)));
				waiting.add(others.submit(() -> jobs.dispatchMany(Unrepeated.class, List.of(1, 2)).get(0)));
				await().until(() -> database.waitingForLocks() == 2);
				return first;
			});
			for (Future<Long> other : waiting) {
				assertThat(other.get(10, TimeUnit.SECONDS)).isEqualTo(id);
			}
		}
		finally {
			others.shutdownNow();
		}
	}

	private static void runJobs(String schema, String property) {
		try (DatabaseHandle database = TestDatabase.create()) {
			database.jdbc().sql("create table effect (job bigint)").update();
			runJobs(database, schema, 0, property);
		}
	}

	/**
	 * @param tries more attempts than one, where the application's own transactions are
	 * so short of time that they may fail
	 */
	private static void runJobs(DatabaseHandle database, String schema, int tries, String... properties) {
		List<String> all = new ArrayList<>(Arrays.asList(properties));
		all.add("gator.worker.concurrency=2");
		all.add("gator.retry.interval=50ms");
		all.add("gator.retry.max-retries=" + tries);
		try (TestApplication application = inTime(() -> TestApplication.start(database,
				List.of(Plain.class, Effect.class, Once.class), all.toArray(String[]::new)))) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			inTime(() -> jobs.dispatch(Plain.class));
			inTime(() -> jobs.dispatchMany(Plain.class, List.of(JobArgs.args(), JobArgs.args())));
			inTime(() -> jobs.to(Plain.class).delay(Duration.ofMillis(300)).dispatch());
			inTime(() -> jobs.dispatch(Effect.class));
			inTime(() -> jobs.dispatch(Once.class));
			JdbcClient jdbc = patient(database);
			await().atMost(Duration.ofSeconds(30))
				.until(() -> jdbc.sql("select count(*) from " + schema + ".gator_job_history where state = 'SUCCEEDED'")
					.query(Integer.class)
					.single() == 6);
			assertThat(jdbc.sql("select count(*) from public.effect").query(Integer.class).single()).isOne();
			assertThat(application.bean(Plain.class).runs.get()).isEqualTo(4);
		}
	}

	/**
	 * A session of the application has the limits of the database, and may break them.
	 */
	private static <T> T inTime(Callable<T> work) {
		return await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(work, Objects::nonNull);
	}

	private static JdbcClient patient(DatabaseHandle database) {
		List<String> limits = inTime(() -> known(database.jdbc(), "statement_timeout", "lock_timeout",
				"idle_in_transaction_session_timeout", "idle_session_timeout", "transaction_timeout"));
		return JdbcClient
			.create(database.createDataSource(limits.stream().map((limit) -> limit + "=0").toArray(String[]::new)));
	}

	private static List<String> known(JdbcClient jdbc, String... settings) {
		return jdbc.sql("select name from pg_settings where lower(name) in (:names)")
			.param("names", List.of(settings))
			.query(String.class)
			.list();
	}

	/** Counts. */
	@Job
	static class Plain {

		final AtomicInteger runs = new AtomicInteger();

		void handle() {
			this.runs.incrementAndGet();
		}

	}

	/** Writes. */
	@Job(transactional = true)
	static class Effect {

		private final JdbcTemplate jdbc;

		Effect(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		void handle(JobContext job) {
			this.jdbc.update("insert into public.effect (job) values (?)", job.id());
		}

	}

	/** Lives once for each number. */
	@Job
	@Unique
	static class Unrepeated {

		void handle(int number) {
		}

	}

	/** Fails the first time. */
	@Job
	@RetryWith(interval = "100ms", maxRetries = 1)
	static class Once {

		void handle(JobContext job) {
			if (job.attempt() == 1) {
				throw new IllegalStateException("the first time");
			}
		}

	}

}
