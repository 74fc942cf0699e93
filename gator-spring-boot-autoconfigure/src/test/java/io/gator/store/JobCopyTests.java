package io.gator.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@FreshDatabase
class JobCopyTests {

	private static final int MANY = DispatchStore.SEVERAL_STATEMENTS;

	private static final NewJob NOW = new NewJob("default", "Work", null, null, false, null);

	private final DatabaseHandle database;

	private final StoreTables tables;

	private final DispatchStore store;

	private final JdbcClient jdbc;

	JobCopyTests(DatabaseHandle database) {
		this.database = database;
		this.tables = new StoreTables(database);
		this.store = this.tables.stores().dispatch();
		this.jdbc = database.jdbc();
	}

	@BeforeEach
	void noteHowRowsCome() {
		this.tables.clear();
		this.jdbc.sql("""
				create table if not exists way (id bigint, sql text);
				truncate way;
				create or replace function note() returns trigger language plpgsql as $$ begin
				    insert into way values (new.id, substring(current_query() from '\\w+'));
				    return null;
				end $$;
				create or replace trigger note after insert on gator_job for each row execute function note();
				alter sequence gator_job_id_seq increment by 1;
				""").update();
	}

	@Test
	void manyJobsAreCopiedAndFewAreInserted() throws SQLException {
		write(NOW, numbers(MANY));
		assertThat(ways()).containsExactly("copy");
		write(NOW, numbers(MANY - 1));
		assertThat(ways()).containsExactly("copy", "insert");
	}

	@Test
	void aCopiedJobIsTheRowThatAnInsertWouldHaveWritten() throws SQLException {
		List<NewArgs> each = new ArrayList<>();
		for (String text : List.of("plain", "ä€😀", "tab\\t", "line\\n", "\\u0000", "\\\\.", "\\\"", "\\\\N", "",
				"null", "x".repeat(300_000))) {
			each.add(new NewArgs("[\"" + text + "\",{\"a\" : [ 1.50 ] }]", null, null));
			each.add(new NewArgs("[\"" + text + "\"]", null, "key ä €"));
		}
		Instant at = Instant.parse("2031-02-03T04:05:06.123456Z");
		for (NewJob job : List.of(NOW, new NewJob("ä", "N", Duration.ofMillis(1_234_567), null, false, "{\"b\":\"€\"}"),
				new NewJob("critical", "N", null, at, false, "{}"))) {
			this.tables.clear();
			write(job, each);
			List<String> inserted = rows();
			assertThat(inserted).hasSameSizeAs(each);
			this.tables.clear();
			List<NewArgs> many = new ArrayList<>(each);
			many.addAll(numbers(MANY));
			write(job, many);
			assertThat(rows().subList(0, each.size())).isEqualTo(inserted);
		}
		assertThat(ways()).contains("copy");
	}

	@Test
	void aRowThatFillsTheWholeBufferMayBeTheLastOne() throws SQLException {
		List<NewArgs> each = new ArrayList<>(numbers(MANY));
		NewArgs large = plain("[\"" + "x".repeat(1_000_000) + "\"]");
		each.add(large);
		long id = write(NOW, each).get(MANY);
		assertThat(
				this.jdbc.sql("select args::text from gator_job where id = ?").param(id).query(String.class).single())
			.isEqualTo(large.args());
		assertThat(ways()).containsExactly("copy");
	}

	@Test
	void jobsWithLongBatchKeysAreCopiedThoughMostOfARowIsItsKey() throws SQLException {
		List<NewArgs> each = IntStream.range(0, MANY)
			.mapToObj((n) -> new NewArgs("[]", null, "k".repeat(200) + n))
			.toList();
		write(NOW, each);
		assertThat(this.jdbc.sql("select batch_key from gator_job order by id").query(String.class).list())
			.isEqualTo(each.stream().map(NewArgs::batchKey).toList());
		assertThat(ways()).containsExactly("copy");
	}

	@Test
	void aCopiedJobIsDueByTheClockOfTheDatabase() throws SQLException {
		this.tables.advance(Duration.ofDays(3));
		write(new NewJob("default", "Work", Duration.ofHours(1), null, false, null), numbers(MANY));
		assertThat(this.jdbc.sql("""
				select count(*) from gator_job
				 where next_execution_at = created_at + interval '1 hour'
				   and created_at between test_now() - interval '1 minute' and test_now()
				""").query(Integer.class).single()).isEqualTo(MANY);
	}

	@Test
	void anIdThatAnotherSessionTookMeanwhileIsNoneOfTheCopied() throws SQLException {
		AtomicLong other = new AtomicLong();
		List<NewArgs> jobs = numbers(MANY);
		List<NewArgs> each = new AbstractList<>() {

			@Override
			public NewArgs get(int index) {
				if (index == 0) {
					other.set(insertElsewhere());
				}
				return jobs.get(index);
			}

			@Override
			public int size() {
				return MANY;
			}

			@Override
			public Stream<NewArgs> stream() {
				return jobs.stream();
			}

		};
		List<Long> ids = write(NOW, each);
		assertThat(other.get()).isLessThan(ids.get(0));
		assertThat(ids).hasSize(MANY).doesNotContain(other.get());
		assertThat(this.jdbc.sql("select id from gator_job where id <> ? order by (args->>0)::int")
			.param(other.get())
			.query(Long.class)
			.list()).isEqualTo(ids);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3 })
	void idsAreInTheOrderOfTheJobsAlsoWhereTheyAreNotConsecutive(int step) throws SQLException {
		this.jdbc.sql("alter sequence gator_job_id_seq increment by " + step).update();
		List<Long> ids = write(NOW, numbers(MANY));
		assertThat(ids).hasSize(MANY).isSorted().doesNotHaveDuplicates();
		assertThat(ids.get(MANY - 1) - ids.get(0)).isEqualTo(step * (MANY - 1L));
		assertThat(this.jdbc.sql("select id from gator_job order by (args->>0)::int").query(Long.class).list())
			.isEqualTo(ids);
		assertThat(ways()).containsExactly("copy");
	}

	@Test
	void uniqueJobsAreInserted() throws SQLException {
		List<NewArgs> each = new ArrayList<>(numbers(MANY));
		each.add(new NewArgs("[0]", "key", null));
		each.add(new NewArgs("[0]", "key", null));
		List<Long> ids = write(NOW, each);
		assertThat(ids.get(MANY)).isEqualTo(ids.get(MANY + 1));
		assertThat(ways()).containsExactly("insert");
	}

	@Test
	void aConnectionThatShowsNothingOfTheDriverInserts() throws SQLException {
		try (Connection connection = this.database.createDataSource().getConnection()) {
			List<Long> ids = this.store.insertMany(opaque(connection), NOW, numbers(MANY)).ids();
			assertThat(this.jdbc.sql("select id from gator_job order by (args->>0)::int").query(Long.class).list())
				.isEqualTo(ids);
		}
		assertThat(ways()).containsExactly("insert");
	}

	@Test
	void aSessionThatIsNotInUtf8InsertsAndKeepsTheText() throws SQLException {
		List<NewArgs> each = new ArrayList<>(numbers(MANY));
		each.set(0, new NewArgs("[\"\u00e9\u00df\"]", null, null));
		PGSimpleDataSource latin = this.database.createDataSource();
		latin.setAllowEncodingChanges(true);
		try (Connection connection = latin.getConnection()) {
			connection.createStatement().execute("set client_encoding to 'LATIN1'");
			this.store.insertMany(connection, NOW, each);
		}
		assertThat(this.jdbc.sql("select args::text from gator_job order by id limit 1").query(String.class).single())
			.isEqualTo("[\"\u00e9\u00df\"]");
		assertThat(ways()).containsExactly("insert");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aRowThatIsRefusedTakesAllWithItAndTheConnectionStaysOfUse(boolean autoCommit) throws SQLException {
		try (Connection connection = this.database.createDataSource().getConnection()) {
			connection.setAutoCommit(autoCommit);
			List<NewArgs> each = new ArrayList<>(numbers(5 * MANY));
			each.set(2 * MANY, plain("no json"));
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> this.store.insertMany(connection, NOW, each))
				.satisfies((ex) -> assertThat(ex.getSQLState()).isEqualTo("22P02"))
				.satisfies((ex) -> assertThat(SqlErrors.withoutDetail(ex)).doesNotContain("no json"));
			if (!autoCommit) {
				connection.rollback();
			}
			assertThat(rows()).isEmpty();
			assertThat(this.store.insertMany(connection, NOW, numbers(MANY)).ids()).hasSize(MANY);
		}
	}

	@Test
	void jobsThatTheDatabaseKeepsOutWithoutAnErrorAreNotSaidToBeThere() throws SQLException {
		this.jdbc.sql("""
				create or replace function swallow() returns trigger language plpgsql as $$ begin
				    return case when new.args->>0 = '1' then null else new end;
				end $$;
				create trigger swallow before insert on gator_job for each row execute function swallow();
				""").update();
		try (Connection connection = this.database.createDataSource().getConnection()) {
			connection.setAutoCommit(false);
			List<NewArgs> keyed = List.of(new NewArgs("[1]", null, "batch"), new NewArgs("[2]", null, "batch"));
			for (List<NewArgs> each : List.of(numbers(MANY), numbers(3), keyed)) {
				assertThatExceptionOfType(SQLException.class)
					.isThrownBy(() -> this.store.insertMany(connection, NOW, each))
					.withMessage("Of %d jobs Work the database has written %d without an error: a trigger, a rule or a "
							+ "policy on gator_job keeps rows out", each.size(), each.size() - 1);
				connection.rollback();
			}
			assertThatExceptionOfType(SQLException.class)
				.isThrownBy(() -> this.store.insert(connection, NOW, plain("[1]")))
				.withMessageContaining("Of 1 jobs Work the database has written 0")
				.satisfies((ex) -> assertThat(SqlErrors.isOutcomeUnknown(ex)).isFalse());
			List<NewArgs> unique = List.of(new NewArgs("[1]", "key", null), new NewArgs("[2]", "other key", null));
			assertUndecided(() -> this.store.insert(connection, NOW, unique.get(0)));
			connection.rollback();
			assertUndecided(() -> this.store.insertMany(connection, NOW, unique));
		}
		finally {
			this.jdbc.sql("drop function swallow cascade").update();
		}
	}

	private static void assertUndecided(ThrowingCallable dispatch) {
		assertThatExceptionOfType(SQLException.class).isThrownBy(dispatch)
			.withMessageContaining("a policy on gator_job keeps rows out, or the key was taken and freed")
			.satisfies((ex) -> assertThat(ex.getSQLState()).as("not to be tried again").isEqualTo("27000"));
	}

	@Test
	void aCopyThatEndsHalfwayLeavesNothingAndTheConnectionStaysOfUse() throws SQLException {
		try (Connection connection = this.database.createDataSource().getConnection()) {
			// More than one buffer is with the server by then.
			List<NewArgs> each = new ArrayList<>(numbers(MANY - 1));
			each.set(500, plain("[\"" + "x".repeat(100_000) + "\"]"));
			each.add(new NewArgs(null, null, null));
			assertThatExceptionOfType(NullPointerException.class)
				.isThrownBy(() -> this.store.insertMany(connection, NOW, each));
			assertThat(rows()).isEmpty();
			assertThat(this.store.insertMany(connection, NOW, numbers(MANY)).ids()).hasSize(MANY);
		}
	}

	private long insertElsewhere() {
		try {
			return write(NOW, List.of(plain("[-1]"))).get(0);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private List<Long> write(NewJob job, List<NewArgs> each) throws SQLException {
		try (Connection connection = this.database.createDataSource().getConnection()) {
			return this.store.insertMany(connection, job, each).ids();
		}
	}

	private List<String> rows() {
		return this.jdbc.sql("""
				select row(queue, name, args, attempts, lease, created_at is null,
				           next_execution_at - case when extract(year from next_execution_at) <> 2031 then created_at
				                                    else '2031-01-01' end,
				           reserved_by, reserved_at, last_executed_at, error_details, unique_key,
				           unique_until_started, cancel_requested, batch_key, batch_limit, metadata)::text
				  from gator_job
				 order by id
				""").query(String.class).list();
	}

	private List<String> ways() {
		return this.jdbc.sql("select distinct sql from way order by sql").query(String.class).list();
	}

	private static NewArgs plain(String args) {
		return new NewArgs(args, null, null);
	}

	private static List<NewArgs> numbers(int count) {
		return IntStream.range(0, count).mapToObj((i) -> plain("[" + i + "]")).toList();
	}

	private static Connection opaque(Connection connection) {
		return (Connection) Proxy.newProxyInstance(JobCopyTests.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, args) -> {
					switch (method.getName()) {
						case "isWrapperFor":
							return false;
						case "unwrap":
							throw new SQLException("This is no wrapper");
						default:
							try {
								return method.invoke(connection, args);
							}
							catch (InvocationTargetException ex) {
								throw ex.getCause();
							}
					}
				});
	}

}
