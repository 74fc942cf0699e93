package io.gator.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.Recurring;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.DatabaseHandle;
import io.gator.test.TestApplication;
import io.gator.test.TestDatabase;
import io.gator.worker.NotificationListener;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P12: a small footprint. No transaction is open while a handler runs, an idle pool asks
 * at most once a second besides its beat, and the number of connections is known.
 */
class P12FootprintTests {

	private static final Duration WATCH = Duration.ofSeconds(10);

	@Test
	void anIdlePoolAsksAtMostOnceASecondBesidesItsBeat() {
		assertThatIdlePoolsPollBy("attempts = attempts + 1");
	}

	@Test
	void anIdlePoolWithBufferedJobsAsksNoMoreOften() {
		assertThatIdlePoolsPollBy("select distinct r.n", Gathered.class);
	}

	private void assertThatIdlePoolsPollBy(String poll, Class<?>... more) {
		List<Class<?>> beans = new ArrayList<>(List.of(Work.class, Yearly.class, ObservabilityConfiguration.class));
		beans.addAll(List.of(more));
		try (DatabaseHandle database = TestDatabase.create(); WireProxy proxy = new WireProxy(database.port())) {
			ConcurrentLinkedQueue<String> statements = new ConcurrentLinkedQueue<>();
			double seconds;
			try (TestApplication application = TestApplication.start(database, beans,
					"spring.datasource.url=jdbc:postgresql://localhost:" + proxy.port() + "/" + database.name()
							+ "?sslmode=disable&gssEncMode=disable",
					"gator.insight.interval=1h", "gator.worker.queues.default=3", "gator.worker.queues.low=1",
					"gator.worker.pools.other.queues.slow=1")) {
				application.bean(JobTemplate.class).dispatch(Work.class, "one, so that it was not always idle");
				await().until(() -> application.bean(Work.class).done.getCount() == 0);
				await().until(() -> application.bean(NotificationListener.class).isListening());
				// Once it has planned, looked ahead and settled.
				await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
				// An empty one is how the connection pool looks whether a session lives.
				long from = System.nanoTime();
				proxy.loseAnswers((sql) -> !sql.isBlank() && !statements.add(sql), 1);
				await().pollDelay(WATCH).timeout(WATCH.multipliedBy(3)).until(() -> true);
				proxy.loseNothing();
				seconds = (System.nanoTime() - from) / 1e9;
			}
			int onceASecond = (int) Math.ceil(2 * (seconds + 1));
			List<String> beats = only(statements, "update \"public\".gator_worker");
			List<String> polls = only(statements, poll);
			assertThat(beats).as("beats of two pools").hasSizeBetween(6, onceASecond);
			assertThat(polls).as("polls of two pools: it has asked").hasSizeGreaterThan(4);
			List<String> others = new ArrayList<>(statements);
			others.removeAll(beats);
			// Where two threads ask at the same time, a session that was not needed
			// before begins, with eleven statements.
			assertThat(only(others, "set statement_timeout")).as("new sessions").hasSizeLessThanOrEqualTo(4);
			others.removeIf(P12FootprintTests::beginsASession);
			// Once a minute, if the machine was slow: where queues begin and where they
			// end.
			List<String> looks = new ArrayList<>(only(others, "select r.queue, c.id"));
			looks.addAll(only(others, "select q.name, c.id"));
			assertThat(looks).as("looks after slow claims of two pools").hasSizeLessThanOrEqualTo(4);
			assertThat(others.size() - looks.size())
				.as("statements of two pools that are no beats: %s", counted(others))
				.isLessThanOrEqualTo(onceASecond);
			others.removeAll(polls);
			assertThat(others).as("neither beats nor polls").hasSizeLessThanOrEqualTo(5);
		}
	}

	private static boolean beginsASession(String sql) {
		String statement = sql.strip().toLowerCase(Locale.ROOT);
		return statement.startsWith("set ") || statement.startsWith("select pg_catalog.set_config(");
	}

	/** How often each was sent. All of them, one by one, are too long to be read. */
	private static Map<String, Long> counted(List<String> statements) {
		return statements.stream().collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
	}

	private static List<String> only(Iterable<String> statements, String part) {
		List<String> found = new ArrayList<>();
		statements.forEach((sql) -> {
			if (sql.contains(part)) {
				found.add(sql);
			}
		});
		return found;
	}

	@Test
	void noTransactionIsOpenWhileAHandlerRunsUnlessItIsTransactional() {
		try (DatabaseHandle database = TestDatabase.create();
				TestApplication application = TestApplication.start(database,
						List.of(Held.class, HeldInTransaction.class), "gator.worker.concurrency=4",
						"spring.datasource.hikari.auto-commit=false")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			Held held = application.bean(Held.class);
			jobs.dispatch(Held.class);
			await().until(() -> held.running.getCount() == 0);
			assertThat(open(database)).isZero();
			held.mayEnd.countDown();
			// The question is a good one: this handler has one.
			HeldInTransaction other = application.bean(HeldInTransaction.class);
			jobs.dispatch(HeldInTransaction.class);
			await().until(() -> other.running.getCount() == 0);
			assertThat(open(database)).isOne();
			other.mayEnd.countDown();
			await().until(() -> database.jdbc()
				.sql("select count(*) from gator_job_history where state = 'SUCCEEDED'")
				.query(Integer.class)
				.single() == 2);
			assertThat(open(database)).isZero();
		}
	}

	/** Sessions that hold a transaction open and do nothing: statements are short. */
	private static int open(DatabaseHandle database) {
		return database.jdbc().sql("""
				select count(*) from pg_stat_activity
				 where datname = current_database() and pid <> pg_backend_pid()
				   and state like 'idle in transaction%'
				""").query(Integer.class).single();
	}

	@Test
	void theNumberOfConnectionsIsKnownAndOfTheHandlersOnly() throws Exception {
		try (DatabaseHandle database = TestDatabase.create();
				TestApplication application = TestApplication.start(database, List.of(Busy.class),
						"spring.datasource.hikari.maximum-pool-size=3",
						"spring.datasource.hikari.data-source-properties.ApplicationName=application",
						"gator.worker.concurrency=16", "gator.worker.queues.default=1",
						"gator.worker.pools.other.queues.slow=1", "gator.worker.pools.other.concurrency=16")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			// Notifications, claims, settlements, beats and handlers, all at once.
			for (int i = 0; i < 20; i++) {
				jobs.dispatchMany(Busy.class, java.util.Collections.nCopies(100, i));
				jobs.to(Busy.class).queue("slow").dispatchMany(java.util.Collections.nCopies(100, i));
				assertThat(sessions(database, "gator")).isLessThanOrEqualTo(4 + 2 * 2);
				assertThat(sessions(database, "application")).isLessThanOrEqualTo(3);
			}
			await()
				.until(() -> database.jdbc().sql("select count(*) from gator_job").query(Integer.class).single() == 0);
			assertThat(sessions(database, "gator")).isBetween(1, 4 + 2 * 2);
			assertThat(sessions(database, "application")).isBetween(1, 3);
			// The looks above close their sessions, which last a moment longer.
			await().untilAsserted(() -> assertThat(database.jdbc()
				.sql("select distinct application_name from pg_stat_activity"
						+ " where datname = current_database() and backend_type = 'client backend'"
						+ " and pid <> pg_backend_pid()")
				.query(String.class)
				.list()).containsExactlyInAnyOrder("gator", "application"));
		}
	}

	private static int sessions(DatabaseHandle database, String name) {
		return database.jdbc()
			.sql("select count(*) from pg_stat_activity where datname = current_database() and application_name = ?")
			.param(name)
			.query(Integer.class)
			.single();
	}

	/** Takes a text. */
	@Job
	static class Work {

		final CountDownLatch done = new CountDownLatch(1);

		void handle(String text) {
			this.done.countDown();
		}

	}

	/** Takes many. No look for waiting items is planned any more when it is watched. */
	@Job
	@Buffered(maxWait = "1s")
	static class Gathered {

		void handle(List<String> texts) {
		}

	}

	/** Has a schedule, and nothing to do for a long time. */
	@Job
	@Recurring(cron = "0 0 0 1 1 *")
	static class Yearly {

		void handle() {
		}

	}

	/** Asks the database something. */
	@Job
	static class Busy {

		private final JdbcTemplate jdbc;

		Busy(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		void handle(int number) {
			this.jdbc.queryForObject("select ?::int", Integer.class, number);
		}

	}

	/** Runs until it may end. */
	@Job
	static class Held {

		final CountDownLatch running = new CountDownLatch(1);

		final CountDownLatch mayEnd = new CountDownLatch(1);

		void handle() throws InterruptedException {
			this.running.countDown();
			this.mayEnd.await(30, TimeUnit.SECONDS);
		}

	}

	/** The same in a transaction. */
	@Job(transactional = true)
	static class HeldInTransaction {

		private final JdbcTemplate jdbc;

		final CountDownLatch running = new CountDownLatch(1);

		final CountDownLatch mayEnd = new CountDownLatch(1);

		HeldInTransaction(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		void handle() throws InterruptedException {
			this.jdbc.queryForObject("select 1", Integer.class);
			this.running.countDown();
			this.mayEnd.await(30, TimeUnit.SECONDS);
		}

	}

}
