package io.gator.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import io.gator.Job;
import io.gator.JobListener;
import io.gator.JobTemplate;
import io.gator.Unique;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import io.gator.worker.WorkerMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A dispatch that finds its key taken adds nothing, and so nobody hears of anything.
 */
@FreshDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class UniqueDispatchTests {

	private final DatabaseHandle database;

	private TestApplication application;

	private JobTemplate jobs;

	private Ear ear;

	UniqueDispatchTests(DatabaseHandle database) {
		this.database = database;
	}

	@BeforeAll
	void start() {
		this.application = TestApplication.start(this.database,
				List.of(Once.class, Ear.class, ObservabilityConfiguration.class), "gator.worker.enabled=false",
				"logging.level.io.gator.dispatch=DEBUG");
		this.jobs = this.application.bean(JobTemplate.class);
		this.ear = this.application.bean(Ear.class);
	}

	@AfterAll
	void stop() {
		this.application.close();
	}

	@BeforeEach
	void clear() {
		this.database.jdbc().sql("delete from gator_job").update();
		this.ear.ids.clear();
		this.ear.counted.clear();
	}

	@Test
	void ofJobsWithOneKeyThatAreDispatchedOneByOneOnlyTheFirstIsToldOf(CapturedOutput output) {
		double before = dispatched();
		long id = this.jobs.dispatch(Once.class, 1);
		assertThat(lines(output)).hasSize(1);
		assertThat(this.jobs.dispatch(Once.class, 1)).isEqualTo(id);
		assertThat(this.jobs.to(Once.class).queue("elsewhere").dispatch(1)).isEqualTo(id);
		assertThat(this.ear.ids).containsExactly(id);
		assertThat(this.ear.counted).containsExactly(new Dispatched("Once", "default", 1));
		assertThat(dispatched() - before).isEqualTo(1);
		assertThat(lines(output)).hasSize(1);
	}

	/** What is planned for a table that is all but empty reads the whole of it later. */
	@Test
	void theLookForATakenKeyLeavesNoPlanInTheSessionsOfTheApplication() {
		HikariDataSource pool = this.database.hikari(1);
		Dispatcher dispatcher = new TestDispatch(Once.class).on(pool);
		for (int i = 0; i < 10; i++) {
			dispatcher.dispatch(Once.class, 1);
		}
		assertThat(
				JdbcClient.create(pool).sql("select statement from pg_prepared_statements").query(String.class).list())
			.isNotEmpty()
			.noneMatch((statement) -> statement.contains("where unique_key = any"));
	}

	@Test
	void ofABulkOnlyTheJobsWhoseKeysWereFreeAreToldOf(CapturedOutput output) {
		double before = dispatched();
		List<Long> ids = this.jobs.dispatchMany(Once.class, List.of(3, 1, 3, 2));
		List<Long> more = this.jobs.dispatchMany(Once.class, List.of(4, 2, 1, 5, 5));
		assertThat(lines(output)).hasSize(2).last().asString().contains("Dispatched 2 jobs");
		assertThat(this.jobs.dispatchMany(Once.class, List.of(2, 4))).containsExactly(ids.get(3), more.get(0));
		assertThat(this.ear.ids).containsExactly(ids.get(0), ids.get(1), ids.get(3), more.get(0), more.get(3));
		assertThat(this.ear.counted).containsExactly(new Dispatched("Once", "default", 3),
				new Dispatched("Once", "default", 2));
		assertThat(dispatched() - before).isEqualTo(5);
		assertThat(lines(output)).hasSize(2);
	}

	@Test
	void ofABulkOfManyStatementsTheJobsWhoseKeysWereFreeAreToldOfOnce() {
		int many = Bulk.CHUNK_ROWS + 10;
		this.jobs.dispatch(Once.class, many - 1);
		this.ear.ids.clear();
		List<Long> ids = this.jobs.dispatchMany(Once.class,
				IntStream.range(0, 2 * many).map((i) -> i % many).boxed().toList());
		assertThat(ids.subList(many, 2 * many)).isEqualTo(ids.subList(0, many));
		assertThat(this.ear.ids).isEqualTo(ids.subList(0, many - 1));
	}

	/** In one order of the keys two bulks would wait for each other. */
	@Test
	void aBulkThatWaitsForAKeyHoldsNoneThatComesAfterIt() throws Exception {
		TwoJobs two = dispatchTwo();
		this.database.jdbc().sql("delete from gator_job").update();
		CompletableFuture<List<Long>> bulk;
		try (Connection other = this.database.createDataSource().getConnection()) {
			other.setAutoCommit(false);
			insert(other, two.firstKey());
			bulk = CompletableFuture
				.supplyAsync(() -> this.jobs.dispatchMany(Once.class, List.of(two.second(), two.first())));
			await().until(() -> this.database.waitingForLocks() == 1);
			insertSoon(other, two.secondKey());
			other.commit();
		}
		assertThat(bulk.get(30, TimeUnit.SECONDS)).hasSize(2);
		assertThat(this.database.jdbc().sql("select count(*) from gator_job").query(Integer.class).single())
			.isEqualTo(2);
	}

	/** The job ends between the insert and the look for what has the key. */
	@Test
	void aBulkThatWaitsForAKeyFreedAfterItsTurnHoldsNoneThatComesAfterIt() throws Exception {
		TwoJobs two = dispatchTwo();
		delete(two.secondKey());
		TransactionTemplate transaction = new TransactionTemplate(
				this.application.bean(PlatformTransactionManager.class));
		CompletableFuture<List<Long>> bulk;
		this.database.jdbc().sql("""
				create function pause_inserts() returns trigger language plpgsql as
				'begin perform pg_advisory_lock(4711); perform pg_advisory_unlock(4711); return null; end';
				create trigger pause_inserts after insert on gator_job
				for each statement execute function pause_inserts()
				""").update();
		try (Connection other = this.database.createDataSource().getConnection()) {
			other.setAutoCommit(false);
			other.createStatement().execute("select pg_advisory_lock(4711)");
			bulk = CompletableFuture.supplyAsync(() -> transaction
				.execute((tx) -> this.jobs.dispatchMany(Once.class, List.of(two.first(), two.second()))));
			await().until(() -> this.database.waitingForLocks() == 1);
			delete(two.firstKey());
			insert(other, two.firstKey());
			other.createStatement().execute("select pg_advisory_unlock(4711)");
			await().until(() -> this.database.waitingForTransactions() == 1);
			insertSoon(other, two.secondKey());
			other.commit();
		}
		finally {
			this.database.jdbc().sql("drop function pause_inserts() cascade").update();
		}
		assertThat(bulk.get(30, TimeUnit.SECONDS)).hasSize(2)
			.hasSameElementsAs(this.database.jdbc().sql("select id from gator_job").query(Long.class).list());
	}

	private TwoJobs dispatchTwo() {
		SortedMap<String, Integer> numbers = new TreeMap<>();
		for (int number : List.of(1, 2)) {
			numbers.put(key(this.jobs.dispatch(Once.class, number)), number);
		}
		return new TwoJobs(numbers.firstKey(), numbers.get(numbers.firstKey()), numbers.lastKey(),
				numbers.get(numbers.lastKey()));
	}

	private String key(long id) {
		return this.database.jdbc()
			.sql("select unique_key from gator_job where id = ?")
			.param(id)
			.query(String.class)
			.single();
	}

	private static void insert(Connection connection, String key) throws SQLException {
		connection.createStatement()
			.execute("insert into gator_job (queue, name, args, unique_key) values ('default', 'Once', '[]', '" + key
					+ "')");
	}

	/** Sooner than the server ends a deadlock, behind which a bulk begins again. */
	private static void insertSoon(Connection connection, String key) throws SQLException {
		connection.createStatement().execute("set local lock_timeout = '100ms'");
		insert(connection, key);
	}

	private void delete(String key) {
		this.database.jdbc().sql("delete from gator_job where unique_key = ?").param(key).update();
	}

	@Test
	void afterTheCommitOfATransactionOnlyTheJobsWhoseKeysWereFreeAreToldOf() {
		double before = dispatched();
		long first = this.jobs.dispatch(Once.class, 1);
		List<Long> ids = new ArrayList<>();
		new TransactionTemplate(this.application.bean(PlatformTransactionManager.class)).executeWithoutResult((tx) -> {
			ids.add(this.jobs.dispatch(Once.class, 1));
			ids.add(this.jobs.dispatch(Once.class, 2));
			ids.add(this.jobs.dispatch(Once.class, 2));
			ids.addAll(this.jobs.dispatchMany(Once.class, List.of(1, 2, 3)));
		});
		assertThat(ids).containsExactly(first, ids.get(1), ids.get(1), first, ids.get(1), ids.get(5));
		assertThat(this.ear.ids).containsExactly(first, ids.get(1), ids.get(5));
		assertThat(this.ear.counted).containsExactly(new Dispatched("Once", "default", 1),
				new Dispatched("Once", "default", 2));
		assertThat(dispatched() - before).isEqualTo(3);
		new TransactionTemplate(this.application.bean(PlatformTransactionManager.class))
			.executeWithoutResult((tx) -> this.jobs.dispatch(Once.class, 1));
		assertThat(this.ear.counted).hasSize(2);
	}

	private double dispatched() {
		return this.application.bean(MeterRegistry.class)
			.find("gator.jobs.dispatched")
			.counters()
			.stream()
			.mapToDouble(Counter::count)
			.sum();
	}

	private static List<String> lines(CapturedOutput output) {
		return output.getOut().lines().filter((line) -> line.contains("Dispatched")).toList();
	}

	/** Two numbers, in the order of the keys of their jobs. */
	private record TwoJobs(String firstKey, int first, String secondKey, int second) {
	}

	static class Ear implements JobListener, WorkerMetrics {

		final List<Long> ids = new ArrayList<>();

		final List<Dispatched> counted = new ArrayList<>();

		@Override
		public void dispatched(long id, String name, String queue) {
			this.ids.add(id);
		}

		@Override
		public void dispatched(String name, String queue, int count) {
			this.counted.add(new Dispatched(name, queue, count));
		}

	}

	@Job
	@Unique
	static class Once {

		void handle(int number) {
		}

	}

}
