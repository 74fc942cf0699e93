package io.gator.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.gator.Buffered;
import io.gator.DispatchSpec;
import io.gator.Job;
import io.gator.JobArgs;
import io.gator.JobDispatchException;
import io.gator.JobTemplate;
import io.gator.Unique;
import io.gator.routing.Names;
import io.gator.store.DispatchStore;
import io.gator.store.Inserted;
import io.gator.store.NewArgs;
import io.gator.store.NewJob;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class DispatcherTests {

	private static final String SECRET = "s3cr3t-value";

	private final Recording dataSource;

	private final DatabaseHandle database;

	private final TestDispatch setup = new TestDispatch(Welcome.class, Critical.class, Once.class, Keyed.class,
			Third.class);

	private final JobTemplate jobs;

	private final JobTable table;

	DispatcherTests(DatabaseHandle database) {
		this.database = database;
		this.dataSource = new Recording(database.hikari(3));
		this.jobs = new JobTemplate(this.setup.on(this.dataSource, TestDispatch.store(database.hikari(1))));
		this.table = JobTable.empty(database);
	}

	@BeforeEach
	void clear() {
		this.table.clear();
		this.dataSource.forget();
	}

	@Test
	void aJobIsARowThatIsDueNow() {
		long id = this.jobs.dispatch(Welcome.class, 42, LocalDate.EPOCH);
		assertThat(row(id)).containsEntry("queue", "default")
			.containsEntry("name", "Welcome")
			.containsEntry("args", "[42,\"1970-01-01\"]")
			.containsEntry("next_execution_at", null)
			.containsEntry("attempts", 0)
			.containsEntry("unique_key", null)
			.containsEntry("metadata", null);
		assertThat(this.table.states(id)).containsExactly("WAITING");
	}

	@Test
	void aSingleDispatchIsOneRoundTrip() {
		this.jobs.dispatch(Welcome.class, 1, LocalDate.EPOCH);
		this.dataSource.forget();
		this.jobs.dispatch(Welcome.class, 2, LocalDate.EPOCH);
		assertThat(this.dataSource.calls).containsExactly("executeQuery");
	}

	@Test
	void theQueueIsThatOfTheAnnotationUnlessTheDispatchNamesOne() {
		assertThat(row(this.jobs.dispatch(Critical.class))).containsEntry("queue", "critical");
		assertThat(row(this.jobs.to(Critical.class).queue("low").dispatch())).containsEntry("queue", "low");
	}

	@Test
	void aDelayAndATimeAreTheDatabases() {
		long delayed = this.jobs.to(Critical.class).delay(Duration.ofMinutes(10)).dispatch();
		assertThat(this.table.time(delayed, "due_at")).isCloseTo(this.table.now().plusSeconds(600),
				within(1, ChronoUnit.MINUTES));
		assertThat(this.table.states(delayed)).containsExactly("SCHEDULED");
		Instant time = Instant.parse("2031-02-03T04:05:06.789012Z");
		assertThat(this.table.time(this.jobs.to(Critical.class).at(time).dispatch(), "due_at")).isEqualTo(time);
		assertThat(row(this.jobs.to(Critical.class).delay(Duration.ZERO).dispatch())).containsEntry("next_execution_at",
				null);
		assertThat(this.table.states(this.jobs.to(Critical.class).at(Instant.MIN).dispatch())).hasSize(1);
	}

	@Test
	void theLastOfDelayAndTimeCounts() {
		Instant time = Instant.parse("2031-02-03T04:05:06Z");
		DispatchSpec spec = this.jobs.to(Critical.class).delay(Duration.ofDays(1)).at(time);
		assertThat(this.table.time(spec.dispatch(), "due_at")).isEqualTo(time);
		assertThat(this.table.time(spec.delay(Duration.ofMinutes(10)).dispatch(), "due_at"))
			.isBefore(this.table.now().plusSeconds(601));
		assertThat(row(spec.delay(Duration.ZERO).dispatch())).containsEntry("next_execution_at", null);
	}

	@Test
	void aSpecificationMayBeKeptAndUsedAgain() {
		DispatchSpec kept = this.jobs.to(Critical.class).queue("kept");
		kept.queue("other").delay(Duration.ofDays(1)).uniqueKey("k");
		assertThat(row(kept.dispatch())).containsEntry("queue", "kept")
			.containsEntry("next_execution_at", null)
			.containsEntry("unique_key", null);
		assertThat(kept.dispatch()).isNotEqualTo(kept.dispatch());
	}

	@Test
	void whatWasSaidOfADispatchHoldsWhateverIsSaidAfterIt() {
		Instant time = Instant.parse("2031-02-03T04:05:06Z");
		DispatchSpec keyed = this.jobs.to(Critical.class).uniqueKey("first");
		for (long id : List.of(keyed.at(time).queue("low").dispatch(),
				this.jobs.to(Critical.class).at(time).uniqueKey("second").queue("low").dispatch(),
				this.jobs.to(Critical.class).queue("low").at(time).uniqueKey("third").dispatch())) {
			assertThat(row(id)).containsEntry("queue", "low").doesNotContainEntry("unique_key", null);
			assertThat(this.table.time(id, "due_at")).isEqualTo(time);
		}
		for (long id : List.of(this.jobs.to(Critical.class).delay(Duration.ofDays(1)).queue("low").dispatch(),
				this.jobs.to(Critical.class).delay(Duration.ofDays(1)).uniqueKey("fourth").dispatch(),
				this.jobs.to(Critical.class).uniqueKey("fifth").delay(Duration.ofDays(1)).dispatch())) {
			assertThat(this.table.states(id)).containsExactly("SCHEDULED");
		}
		assertThat(this.table.count("gator_job where unique_key is not null")).isEqualTo(5);
	}

	@Test
	void whileAJobWithTheUniqueKeyLivesItsIdIsTheAnswer() {
		long first = this.jobs.to(Critical.class).uniqueKey("once").dispatch();
		assertThat(this.jobs.to(Welcome.class).uniqueKey("once").dispatch(1L, LocalDate.EPOCH)).isEqualTo(first);
		assertThat(this.jobs.to(Critical.class).uniqueKey("twice").dispatch()).isNotEqualTo(first);
		assertThat(this.table.count("gator_job")).isEqualTo(2);
	}

	@Test
	void aUniqueJobIsTheSameForTheSameArguments() {
		long first = this.jobs.dispatch(Once.class, 1L, "a");
		assertThat(this.jobs.dispatch(Once.class, 1, "b")).isEqualTo(first);
		assertThat(this.jobs.dispatch(Once.class, 2L, "a")).isNotEqualTo(first);
		assertThat(row(first)).containsEntry("unique_until_started", true);
		List<Long> many = this.jobs.dispatchMany(Once.class,
				List.of(JobArgs.args(3, "x"), JobArgs.args(1, "x"), JobArgs.args(3, "y")));
		assertThat(many.get(0)).isEqualTo(many.get(2)).isNotEqualTo(first);
		assertThat(many.get(1)).isEqualTo(first);
		assertThat(this.table.count("gator_job")).isEqualTo(3);
	}

	@Test
	void aKeyGivenAtDispatchWinsOverThatOfTheArguments() {
		long first = this.jobs.dispatch(Once.class, 1L, "a");
		assertThat(this.jobs.to(Once.class).uniqueKey("mine").dispatch(1L, "a")).isNotEqualTo(first);
	}

	@Test
	void aBulkOfASingleElementMayHaveAKey() {
		List<Long> ids = this.jobs.to(Third.class).uniqueKey("only").dispatchMany(List.of("a"));
		assertThat(ids).hasSize(1);
		assertThat(row(ids.get(0))).containsEntry("unique_key", "only");
	}

	@Test
	void theKeyOfABufferedJobIsInItsRow() {
		assertThat(row(this.jobs.dispatch(Keyed.class, new Item("t1", 5)))).containsEntry("batch_key", "t1")
			.containsEntry("args", "[{\"tenant\":\"t1\",\"amount\":5}]");
	}

	@Test
	void aProducerWithoutTheHandlerDispatchesByName() {
		long elsewhere = this.jobs.to("Elsewhere").dispatch(1, "a", null);
		assertThat(row(elsewhere)).containsEntry("name", "Elsewhere")
			.containsEntry("queue", "default")
			.containsEntry("args", "[1,\"a\",null]");
	}

	@Test
	void aProducerWithoutTheHandlerMakesNoSecondJobWithTheSameKeyEither() {
		long first = this.jobs.to("Elsewhere").uniqueKey("once").dispatch(1);
		assertThat(row(first)).containsEntry("unique_key", "once");
		assertThat(this.jobs.to("Elsewhere").uniqueKey("once").dispatch(2)).isEqualTo(first);
		assertThat(this.table.count("gator_job")).isEqualTo(1);
	}

	@Test
	void byNameTheArgumentsAreCheckedIfTheHandlerIsThereAfterAll() {
		assertThat(row(this.jobs.to("Critical").dispatch())).containsEntry("queue", "critical");
		assertThat(row(this.jobs.to("Former").dispatch())).containsEntry("name", "Former")
			.containsEntry("queue", "critical");
		assertThatExceptionOfType(JobDispatchException.class).isThrownBy(() -> this.jobs.to("Critical").dispatch(1))
			.withMessageContaining("takes 0 arguments, not 1");
	}

	@Test
	void uPlus0000SurvivesInTheRow() {
		long id = this.jobs.dispatch(Third.class, "before\u0000after");
		assertThat(this.setup.codec.decode(this.setup.on(this.dataSource).route(Third.class),
				(String) row(id).get("args")))
			.containsExactly("before\u0000after");
	}

	@Test
	void aQueueIsRegisteredOnceAndAFailureDoesNotMatter() {
		DispatchStore store = TestDispatch.store(this.dataSource);
		List<String> registered = new ArrayList<>();
		Dispatcher dispatcher = this.setup.on(this.dataSource, new FailingRegistration(store, registered));
		dispatcher.dispatch(Critical.class);
		dispatcher.dispatch(Critical.class);
		assertThat(registered).containsOnly("critical");
		assertThat(this.table.count("gator_job")).isEqualTo(2);
		this.jobs.to(Critical.class).queue("a-new-one").dispatch();
		assertThat(this.table.count("gator_queue where name = 'a-new-one'")).isEqualTo(1);
	}

	@Test
	void whatIsRefusedSendsNothing() {
		assertRefused(() -> this.jobs.dispatch(String.class), "java.lang.String", "is not a job");
		assertRefused(() -> this.jobs.dispatch((Class<?>) null), "null");
		assertRefused(() -> this.jobs.to("not a name"), "'not a name'", Names.FORM);
		assertRefused(() -> this.jobs.to((String) null), Names.FORM);
		assertRefused(() -> this.jobs.to(Critical.class).queue("a b"), "'Critical'", "queue", Names.FORM);
		assertRefused(() -> this.jobs.to(Critical.class).queue(null), "'Critical'", "queue");
		assertRefused(() -> this.jobs.to(Critical.class).queue("x".repeat(129)), "'Critical'", "queue");
		assertRefused(() -> this.jobs.to(Critical.class).delay(Duration.ofMillis(-1)), "'Critical'", "delay",
				"PT-0.001S");
		assertRefused(() -> this.jobs.to(Critical.class).delay(Duration.ofDays(3654)), "'Critical'", "ten years");
		assertRefused(() -> this.jobs.to(Critical.class).delay(null), "'Critical'", "delay");
		assertRefused(() -> this.jobs.to(Critical.class).at(Instant.now().plus(Duration.ofDays(3654))), "'Critical'",
				"ten years");
		assertRefused(() -> this.jobs.to(Critical.class).at(Instant.MAX), "'Critical'", "ten years");
		assertRefused(() -> this.jobs.to(Critical.class).at(null), "'Critical'");
		assertRefused(() -> this.jobs.to(Critical.class).uniqueKey(null), "'Critical'", "unique key", "null");
		assertRefused(() -> this.jobs.to(Critical.class).uniqueKey(""), "'Critical'", "unique key", "0 characters");
		assertRefused(() -> this.jobs.to(Critical.class).uniqueKey("x".repeat(513)), "'Critical'", "513 characters");
		assertRefused(() -> this.jobs.to(Critical.class).uniqueKey("a\u0000"), "'Critical'", "U+0000");
		for (String lone : List.of("a\ud83d", "a\ud800", "\udfffa")) {
			assertRefused(() -> this.jobs.to(Critical.class).uniqueKey(lone), "'Critical'", "surrogate");
		}
		assertRefused(() -> this.jobs.dispatch(Welcome.class, SECRET), "'Welcome'", "2 arguments, not 1");
		assertRefused(() -> this.jobs.dispatch(Welcome.class, SECRET, LocalDate.EPOCH), "'Welcome'",
				"argument 0 (userId)", "long");
		assertRefused(() -> this.jobs.dispatch(Third.class, SECRET + "\udfff"), "'Third'", "argument 0 (value)",
				"surrogate");
		assertRefused(() -> this.jobs.dispatch(Third.class, SECRET.repeat(100_000)), "'Third'", "gator.max-payload");
		assertRefused(() -> this.jobs.to(Critical.class).uniqueKey("k").dispatchMany(List.of(1, 2)), "'Critical'",
				"unique key", "one by one");
		assertThat(this.dataSource.calls).isEmpty();
		assertThat(this.table.count("gator_job")).isZero();
	}

	@Test
	void keysAndTimesAtTheirLimitsAreTaken() {
		this.jobs.to(Critical.class).uniqueKey("x".repeat(512)).dispatch();
		this.jobs.to(Critical.class).uniqueKey("\ufffd\ud7ff\ue000\ud83d\ude00").dispatch();
		this.jobs.to(Critical.class).queue("x".repeat(128)).dispatch();
		this.jobs.to(Critical.class).delay(Duration.ofDays(3652)).dispatch();
		this.jobs.to(Critical.class).at(Instant.now().plus(Duration.ofDays(3652))).dispatch();
		assertThat(this.table.count("gator_job")).isEqualTo(5);
	}

	@Test
	void aDispatchIsLoggedAtDebugWithoutItsArguments(CapturedOutput output) {
		LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());
		logging.setLogLevel(Dispatcher.class.getName(), LogLevel.DEBUG);
		try {
			long id = this.jobs.dispatch(Third.class, SECRET);
			List<Long> ids = this.jobs.dispatchMany(Third.class, List.of(SECRET, SECRET));
			assertThat(output.getOut()).contains("DEBUG", "Dispatched job " + id + " (Third) to queue default")
				.contains("Dispatched 2 jobs (Third) to queue default, from " + ids.get(0) + " to " + ids.get(1))
				.doesNotContain(SECRET);
		}
		finally {
			logging.setLogLevel(Dispatcher.class.getName(), null);
		}
	}

	private Map<String, Object> row(long id) {
		return this.database.jdbc()
			.sql("select queue, name, args::text, next_execution_at, attempts, unique_key, unique_until_started, batch_key, "
					+ "metadata::text from gator_job where id = ?")
			.param(id)
			.query()
			.singleRow();
	}

	private static void assertRefused(ThrowingCallable dispatch, String... texts) {
		assertThatExceptionOfType(JobDispatchException.class).isThrownBy(dispatch)
			.satisfies((ex) -> assertThat(ex.getMessage()).contains(texts).doesNotContain(SECRET));
	}

	private record FailingRegistration(DispatchStore store, List<String> registered) implements DispatchStore {

		@Override
		public Inserted insert(Connection connection, NewJob job, NewArgs args) throws SQLException {
			return this.store.insert(connection, job, args);
		}

		@Override
		public Inserted insertMany(Connection connection, NewJob job, List<NewArgs> each) throws SQLException {
			return this.store.insertMany(connection, job, each);
		}

		@Override
		public void register(String queue) {
			this.registered.add(queue);
			throw new IllegalStateException("No connection");
		}

	}

	@Job
	static class Welcome {

		void handle(long userId, LocalDate date) {
		}

	}

	@Job(queue = "critical", aliases = "Former")
	static class Critical {

		void handle() {
		}

	}

	@Job
	static class Third {

		void handle(String value) {
		}

	}

	@Job
	@Unique(args = 0, until = Unique.Until.STARTED)
	static class Once {

		void handle(long id, String text) {
		}

	}

	record Item(String tenant, int amount) {

	}

	@Job
	@Buffered(key = "tenant")
	static class Keyed {

		void handle(List<Item> items) {
		}

	}

}
