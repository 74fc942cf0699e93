package io.gator.dispatch;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobDispatchException;
import io.gator.Unique;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static io.gator.JobArgs.args;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * P15: a bulk is all or nothing.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
class BulkTests {

	private static final String SECRET = "s3cr3t-value";

	private final DatabaseHandle database;

	private final JobTable table;

	private final Recording connections;

	private final Dispatcher jobs;

	BulkTests(DatabaseHandle database) {
		this.database = database;
		this.table = JobTable.empty(database);
		this.connections = new Recording(database.hikari(2));
		this.jobs = new TestDispatch(Number.class, Once.class, OnceUntilStarted.class, Collected.class, Pair.class,
				Text.class, Mutable.class)
			.on(this.connections, TestDispatch.store(database.hikari(1)));
		this.jobs.dispatch(Number.class, 1L);
	}

	@BeforeEach
	void clear() {
		this.table.clear();
		this.connections.forget();
	}

	@Test
	void idsComeInTheOrderOfTheElements() {
		int many = Bulk.CHUNK_ROWS + 777;
		List<Long> numbers = IntStream.range(0, many).mapToObj((i) -> (long) (i * 31 % 1000)).toList();
		List<Long> ids = this.jobs.dispatchMany(Number.class, numbers);
		assertThat(ids).hasSize(many).isSorted().doesNotHaveDuplicates();
		List<String> written = this.database.jdbc()
			.sql("select args::text from gator_job order by id")
			.query(String.class)
			.list();
		assertThat(written).isEqualTo(numbers.stream().map((number) -> "[" + number + "]").toList());
		assertThat(this.table.count("gator_job where id between " + ids.get(0) + " and " + ids.get(many - 1)))
			.isEqualTo(many);
	}

	@Test
	void aSmallBulkIsOneStatement() {
		this.jobs.dispatchMany(Number.class, List.of(1L, 2L, 3L));
		assertThat(this.connections.calls).containsExactly("executeQuery");
	}

	@Test
	void aSmallBulkWithKeysIsOneTransactionBecauseKeysThatAreTakenAreLookedFor() {
		this.jobs.dispatchMany(Once.class, List.of(1L, 2L));
		this.connections.forget();
		assertThat(this.jobs.dispatchMany(Once.class, List.of(2L, 3L))).hasSize(2);
		assertThat(this.connections.calls).containsExactly("setAutoCommit", "setSavepoint", "executeQuery",
				"executeQuery", "commit", "setAutoCommit");
		assertThat(this.table.count("gator_job")).isEqualTo(3);
	}

	@Test
	void keysAreTakenInTheirOrderOverAllChunksAndIdsComeInTheOrderOfTheElements() {
		int many = Bulk.CHUNK_ROWS + 777;
		List<Long> numbers = IntStream.range(0, many).mapToObj((i) -> (long) (i * 31 % many)).toList();
		List<Long> ids = this.jobs.dispatchMany(Once.class, numbers);
		Map<Long, String> rows = new HashMap<>();
		List<String> keys = new ArrayList<>();
		this.database.jdbc().sql("select id, args::text, unique_key from gator_job order by id").query((row) -> {
			rows.put(row.getLong(1), row.getString(2));
			keys.add(row.getString(3));
		});
		assertThat(keys).hasSize(many).isSorted();
		assertThat(ids.stream().map(rows::get))
			.isEqualTo(numbers.stream().map((number) -> "[" + number + "]").toList());
	}

	/** Many of them in one transaction would slow down the whole server. */
	@Test
	void aBulkInATransactionOfTheCallerLeavesNoSavepoint() {
		new TransactionTemplate(new JdbcTransactionManager(this.connections)).executeWithoutResult(
				(status) -> this.jobs.dispatchMany(Number.class, Collections.nCopies(Bulk.CHUNK_ROWS + 1, 1L)));
		assertThat(this.connections.calls).filteredOn((call) -> !call.startsWith("execute"))
			.containsExactly("setAutoCommit", "setSavepoint", "releaseSavepoint", "commit", "setAutoCommit");
	}

	@Test
	void aLargeBulkIsOneTransactionOfChunks() {
		this.jobs.dispatchMany(Number.class, Collections.nCopies(2 * Bulk.CHUNK_ROWS + 1, 1L));
		// Before and after each of the first two, and the only row of the third.
		assertThat(this.connections.calls).containsExactly("setAutoCommit", "executeQuery", "executeQuery",
				"executeQuery", "executeQuery", "executeQuery", "commit", "setAutoCommit");
	}

	@Test
	void chunksAreSmallerWhereRowsAreLarge() {
		this.jobs.dispatchMany(Text.class, Collections.nCopies(8, "x".repeat(900_000)));
		assertThat(this.connections.calls).containsExactly("setAutoCommit", "executeQuery", "executeQuery", "commit",
				"setAutoCommit");
		assertThat(this.table.count("gator_job")).isEqualTo(8);
	}

	@Test
	void anElementIsTheSingleArgumentOrAllOfThem() {
		this.jobs.dispatchMany(Pair.class, List.of(args(1, "a"), args(2, null)));
		this.jobs.dispatchMany(Text.class, List.of("b", args("c"), args((Object) null), args((Object[]) null)));
		assertThat(this.database.jdbc().sql("select args::text from gator_job order by id").query(String.class).list())
			.containsExactly("[1,\"a\"]", "[2,null]", "[\"b\"]", "[\"c\"]", "[null]", "[null]");
	}

	@Test
	void aTimeAndADelayHoldForEachJobOfABulk() {
		assertHeldBack(Number.class, List.of(1L, 2L));
		assertHeldBack(Once.class, List.of(1L, 2L));
		assertHeldBack(Collected.class, List.of(new Sale("one"), new Sale("two")));
	}

	private void assertHeldBack(Class<?> job, List<?> elements) {
		Instant time = Instant.now().plus(Duration.ofDays(1000)).truncatedTo(ChronoUnit.SECONDS);
		assertThat(this.jobs.to(job).at(time).dispatchMany(elements)).hasSize(2)
			.allSatisfy((id) -> assertThat(this.table.time(id, "due_at")).isEqualTo(time));
		// Keys that are taken would answer with the jobs that have them.
		this.table.clear();
		assertThat(this.jobs.to(job).delay(Duration.ofDays(1)).dispatchMany(elements)).hasSize(2)
			.allSatisfy((id) -> assertThat(this.table.states(id)).containsExactly("SCHEDULED"));
		this.table.clear();
	}

	@Test
	void eachKeyOfABulkIsFreeWhenItsJobStartsIfTheJobSaysSo() {
		this.jobs.dispatchMany(OnceUntilStarted.class, List.of(1L, 2L));
		this.jobs.dispatchMany(Once.class, List.of(1L, 2L));
		assertThat(this.table.count("gator_job where name = 'OnceUntilStarted' and unique_until_started")).isEqualTo(2);
		assertThat(this.table.count("gator_job where name = 'Once' and not unique_until_started")).isEqualTo(2);
	}

	@Test
	void anEmptyBulkIsNothing() {
		assertThat(this.jobs.dispatchMany(Number.class, List.of())).isEmpty();
		assertThat(this.jobs.dispatchMany(Number.class, new Lazy(0, 1, () -> 1L))).isEmpty();
		assertThat(this.connections.calls).isEmpty();
	}

	@Test
	void oneBadElementRefusesAllBeforeAnySql() {
		List<Object> elements = new ArrayList<>(Collections.nCopies(5_000, 1L));
		elements.set(4_321, SECRET);
		assertRefused(() -> this.jobs.dispatchMany(Number.class, elements), "'Number'", "argument 0 (value)",
				"This is element 4321 of 5000");
		assertRefused(() -> this.jobs.dispatchMany(Pair.class, List.of(args(1, "a"), args(1))), "'Pair'",
				"2 arguments, not 1", "This is element 1 of 2");
	}

	@Test
	void aNullElementRefusesAllBeforeAnySql() {
		assertRefused(() -> this.jobs.dispatchMany(Text.class, Arrays.asList("a", null, "b")), "'Text'",
				"element 1 is null", "JobArgs.args");
		assertRefused(() -> this.jobs.dispatchMany(Text.class, null), "'Text'", "null");
	}

	@Test
	void anIteratorThatThrowsRefusesAllBeforeAnySql() {
		AtomicInteger calls = new AtomicInteger();
		Collection<Object> broken = new Lazy(10, 10, () -> {
			if (calls.incrementAndGet() == 7) {
				throw new IllegalStateException(SECRET);
			}
			return 1L;
		});
		assertRefused(() -> this.jobs.dispatchMany(Number.class, broken), "'Number'", "after 6 elements",
				"IllegalStateException");
	}

	@Test
	void aCollectionIsIteratedOnce() {
		AtomicInteger calls = new AtomicInteger();
		this.jobs.dispatchMany(Number.class, new Lazy(5_000, 5_000, () -> (long) calls.incrementAndGet()));
		assertThat(calls).hasValue(5_000);
	}

	@Test
	void anElementThatIsSpoiledMeanwhileTakesTheBulkBack() {
		// So large that the last ones are encoded again when their turn comes.
		List<Spoiled> elements = IntStream.range(0, 60).mapToObj((i) -> new Spoiled("x".repeat(400_000))).toList();
		elements.get(59).readings = 1;
		assertThatExceptionOfType(JobDispatchException.class)
			.isThrownBy(() -> this.jobs.dispatchMany(Mutable.class, elements))
			.withMessageContaining("This is element 59 of 60");
		assertThat(this.connections.calls).contains("rollback").doesNotContain("commit");
		assertThat(this.table.count("gator_job")).isZero();
	}

	@Test
	void aHundredThousandElementsWorkInAHeapOf64Megabytes() throws Exception {
		Process process = new ProcessBuilder(System.getProperty("java.home") + "/bin/java", "-Xmx64m",
				"-XX:+ExitOnOutOfMemoryError", "-Dlogging.level.root=warn", "-cp",
				System.getProperty("java.class.path"), LargeBulk.class.getName(), this.database.url(),
				this.database.username(), this.database.password())
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes());
		assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
		assertThat(process.exitValue()).as(output).isZero();
		assertThat(this.table.count("gator_job")).isEqualTo(100_000);
	}

	private void assertRefused(ThrowingCallable dispatch, String... texts) {
		assertThatExceptionOfType(JobDispatchException.class).isThrownBy(dispatch)
			.satisfies((ex) -> assertThat(ex.getMessage()).contains(texts).doesNotContain(SECRET));
		assertThat(this.connections.calls).isEmpty();
	}

	/**
	 * A process of its own.
	 */
	static final class LargeBulk {

		private LargeBulk() {
		}

		public static void main(String[] args) {
			PGSimpleDataSource dataSource = new PGSimpleDataSource();
			dataSource.setUrl(args[0]);
			dataSource.setUser(args[1]);
			dataSource.setPassword(args[2]);
			// All elements are one text, so the input takes no room to speak of, and what
			// is encoded takes 50 MB.
			List<Long> ids = new TestDispatch(Text.class).on(dataSource)
				.dispatchMany(Text.class, Collections.nCopies(100_000, "x".repeat(500)));
			if (ids.size() != 100_000) {
				throw new IllegalStateException("Only " + ids.size());
			}
		}

	}

	private static final class Lazy extends AbstractCollection<Object> {

		private final int size;

		private final int claimed;

		private final Supplier<Object> next;

		Lazy(int size, int claimed, Supplier<Object> next) {
			this.size = size;
			this.claimed = claimed;
			this.next = next;
		}

		@Override
		public Iterator<Object> iterator() {
			return IntStream.range(0, this.size).mapToObj((i) -> this.next.get()).iterator();
		}

		@Override
		public int size() {
			return this.claimed;
		}

	}

	record Sale(String tenant) {

	}

	static class Spoiled {

		private final String text;

		private int readings = Integer.MAX_VALUE;

		Spoiled(String text) {
			this.text = text;
		}

		public String getText() {
			if (this.readings-- <= 0) {
				throw new IllegalStateException(SECRET);
			}
			return this.text;
		}

	}

	@Job
	@Unique
	static class Once {

		void handle(long number) {
		}

	}

	@Job
	@Unique(until = Unique.Until.STARTED)
	static class OnceUntilStarted {

		void handle(long number) {
		}

	}

	@Job
	@Buffered(key = "tenant")
	static class Collected {

		void handle(List<Sale> sales) {
		}

	}

	@Job
	static class Number {

		void handle(long value) {
		}

	}

	@Job
	static class Pair {

		void handle(long id, String text) {
		}

	}

	@Job
	static class Text {

		void handle(String text) {
		}

	}

	@Job
	static class Mutable {

		void handle(Spoiled value) {
		}

	}

}
