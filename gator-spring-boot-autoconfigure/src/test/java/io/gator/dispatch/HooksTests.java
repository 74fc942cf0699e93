package io.gator.dispatch;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import javax.sql.DataSource;

import io.gator.Job;
import io.gator.JobDispatchException;
import io.gator.JobListener;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.Undeclared;
import io.gator.test.Unspeakable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Who is told of a dispatch, and who watches it.
 */
@FreshDatabase
@TestInstance(Lifecycle.PER_CLASS)
@ExtendWith(OutputCaptureExtension.class)
class HooksTests {

	private final DatabaseHandle database;

	private final JobTable table;

	private final DataSource pool;

	HooksTests(DatabaseHandle database) {
		this.database = database;
		this.table = JobTable.empty(database);
		this.pool = database.hikari(3);
	}

	@BeforeEach
	void clear() {
		this.table.clear();
	}

	@Test
	void oneTransactionIsToldOfOnceByNameAndQueue() {
		TestDispatch setup = new TestDispatch(One.class, Other.class).listening();
		Dispatcher jobs = setup.on(this.pool);
		List<Long> ids = new ArrayList<>();
		new TransactionTemplate(new JdbcTransactionManager(this.pool)).executeWithoutResult((status) -> {
			ids.add(jobs.dispatch(One.class, 1));
			ids.add(jobs.dispatch(Other.class));
			ids.addAll(jobs.dispatchMany(One.class, List.of(2, 3)));
			ids.add(jobs.to(One.class).queue("low").dispatch(4));
		});
		assertThat(setup.heard).containsExactly(List.of(new Dispatched("One", "default", 3),
				new Dispatched("Other", "urgent", 1), new Dispatched("One", "low", 1)));
		assertThat(setup.listened).containsExactly(ids.get(0) + " One default", ids.get(1) + " Other urgent",
				ids.get(2) + " One default", ids.get(3) + " One default", ids.get(4) + " One low");
	}

	@Test
	void namesAndQueuesAreToldApartWhereNobodyListensToEachJobToo() {
		TestDispatch setup = new TestDispatch(One.class, Other.class);
		Dispatcher jobs = setup.on(this.pool);
		new TransactionTemplate(new JdbcTransactionManager(this.pool)).executeWithoutResult((status) -> {
			jobs.dispatch(One.class, 1);
			jobs.dispatchMany(One.class, List.of(2, 3));
			jobs.to(One.class).queue("low").dispatch(4);
			jobs.to(Other.class).queue("low").dispatch();
		});
		assertThat(setup.heard).containsExactly(List.of(new Dispatched("One", "default", 3),
				new Dispatched("One", "low", 1), new Dispatched("Other", "low", 1)));
	}

	@Test
	void aHookOrListenerThatThrowsIsLoggedAndChangesNothing(CapturedOutput output) {
		TestDispatch setup = new TestDispatch(One.class).listening().with((DispatchHook) (dispatched) -> {
			throw new IllegalStateException("the hook's");
		}).with(new JobListener() {

			@Override
			public void dispatched(long id, String name, String queue) {
				throw new AssertionError("the listener's");
			}

		}).with(new JobListener() {

			@Override
			public void dispatched(long id, String name, String queue) {
				Undeclared.rethrow(new IOException("one that is checked"));
			}

		});
		Dispatcher jobs = setup.on(this.pool);
		jobs.dispatch(One.class, 1);
		new TransactionTemplate(new JdbcTransactionManager(this.pool))
			.executeWithoutResult((status) -> jobs.dispatch(One.class, 2));
		assertThat(this.table.count("gator_job")).isEqualTo(2);
		assertThat(setup.heard).hasSize(2);
		assertThat(setup.listened).hasSize(2);
		assertThat(output.getOut()).contains("WARN", "the hook's", "the listener's", "one that is checked");
	}

	@Test
	void aHookOrListenerWhoseErrorCannotBeReadChangesNothing(CapturedOutput output) {
		TestDispatch setup = new TestDispatch(One.class).listening().with((DispatchHook) (dispatched) -> {
			throw new Unspeakable();
		}).with(new JobListener() {

			@Override
			public void dispatched(long id, String name, String queue) {
				throw new Unspeakable();
			}

		});
		Dispatcher jobs = setup.on(this.pool);
		assertThatNoException().isThrownBy(() -> jobs.dispatch(One.class, 1));
		TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(this.pool));
		assertThatNoException()
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> jobs.dispatch(One.class, 2)));
		assertThat(this.table.count("gator_job")).isEqualTo(2);
		assertThat(setup.heard).hasSize(2);
		assertThat(setup.listened).hasSize(2);
		assertThat(output.getOut().split("the dispatch stands: " + Unspeakable.class.getName())).hasSize(5);
	}

	@Test
	void valuesThatTheDatabaseQuotesToAListenerAreNotLogged(CapturedOutput output) {
		JdbcClient client = JdbcClient.create(this.pool);
		Dispatcher jobs = new TestDispatch(One.class).with(new JobListener() {

			@Override
			public void dispatched(long id, String name, String queue) {
				client.sql("create temporary table seen (mail text primary key)").update();
				client.sql("insert into seen values (?), (?)").params("s3cr3t", "s3cr3t").update();
			}

		}).on(this.pool);
		jobs.dispatch(One.class, 1);
		assertThat(output.getOut()).contains("the dispatch stands", "seen_pkey").doesNotContain("s3cr3t");
	}

	@Test
	void aListenerThatCannotBeMadeRefusesTheDispatchBeforeAnythingIsWritten() {
		Dispatcher jobs = new TestDispatch(One.class).on(this.pool, TestDispatch.store(this.pool), () -> {
			throw new IllegalStateException("no such listener");
		});
		assertThatIllegalStateException().isThrownBy(() -> jobs.dispatch(One.class, 1)).withMessage("no such listener");
		assertThatIllegalStateException().isThrownBy(() -> jobs.dispatchMany(One.class, List.of(1, 2)));
		assertThat(this.table.count("gator_job")).isZero();
	}

	@Test
	void aListenerMayDispatch() {
		List<Dispatcher> jobs = new ArrayList<>();
		TestDispatch setup = new TestDispatch(One.class, Other.class).with(new JobListener() {

			@Override
			public void dispatched(long id, String name, String queue) {
				if (name.equals("One")) {
					jobs.get(0).dispatch(Other.class);
				}
			}

		});
		jobs.add(setup.on(this.pool));
		jobs.get(0).dispatch(One.class, 1);
		assertThat(this.table.count("gator_job")).isEqualTo(2);
		new TransactionTemplate(new JdbcTransactionManager(this.pool))
			.executeWithoutResult((status) -> jobs.get(0).dispatch(One.class, 2));
		assertThat(this.table.count("gator_job where name = 'Other'")).isEqualTo(2);
	}

	@Test
	void anObserverSeesEachDispatchOnceAndItsHeadersTravelWithTheJobs() {
		Observer observer = new Observer(Map.of("traceparent", "00-\"a\"-01"));
		Dispatcher jobs = new TestDispatch(One.class).with(observer).on(this.pool);
		long id = jobs.dispatch(One.class, 1);
		List<Long> ids = jobs.to(One.class).queue("low").dispatchMany(List.of(2, 3));
		assertThat(observer.seen).containsExactly("begin One default 1", "end null", "begin One low 2", "end null");
		for (long each : List.of(id, ids.get(0), ids.get(1))) {
			assertThat(metadata(each)).isEqualTo("{\"headers\":{\"traceparent\":\"00-\\\"a\\\"-01\"}}");
		}
	}

	@Test
	void ofSeveralObserversTheHeadersOfEachTravelAndTheLastToBeginIsTheFirstToEnd() {
		List<String> ended = new ArrayList<>();
		DispatchObserver both = DispatchObserver.of(List.of(noting("outer", ended), noting("inner", ended)));
		long id = new TestDispatch(One.class).with(Objects.requireNonNull(both)).on(this.pool).dispatch(One.class, 1);
		assertThat(ended).containsExactly("inner", "outer");
		assertThat(metadata(id)).contains("\"inner\":\"yes\"", "\"outer\":\"yes\"");
	}

	private static DispatchObserver noting(String name, List<String> ended) {
		return (job, queue, count) -> new DispatchObserver.Observed() {

			@Override
			public Map<String, String> headers() {
				return Map.of(name, "yes");
			}

			@Override
			public void end(@Nullable Throwable error) {
				ended.add(name);
			}

		};
	}

	@Test
	void anObserverSeesTheErrorOfADispatch() {
		Observer observer = new Observer(Map.of());
		Dispatcher jobs = new TestDispatch(One.class).with(observer).on(this.pool);
		assertThatExceptionOfType(JobDispatchException.class).isThrownBy(() -> jobs.dispatch(One.class, "x"));
		assertThat(observer.seen).containsExactly("begin One default 1", "end JobDispatchException");
	}

	@Test
	void withoutHeadersThereIsNoMetadata() {
		long id = new TestDispatch(One.class).with(new Observer(Map.of())).on(this.pool).dispatch(One.class, 1);
		assertThat(metadata(id)).isNull();
	}

	private @Nullable String metadata(long id) {
		return this.database.jdbc()
			.sql("select coalesce(metadata::text, '') from gator_job where id = ?")
			.param(id)
			.query(String.class)
			.optional()
			.filter((text) -> !text.isEmpty())
			.orElse(null);
	}

	private static final class Observer implements DispatchObserver {

		private final List<String> seen = new ArrayList<>();

		private final Map<String, String> headers;

		Observer(Map<String, String> headers) {
			this.headers = headers;
		}

		@Override
		public Observed begin(String name, String queue, int count) {
			this.seen.add("begin " + name + " " + queue + " " + count);
			return new Observed() {

				@Override
				public Map<String, String> headers() {
					return Observer.this.headers;
				}

				@Override
				public void end(@Nullable Throwable error) {
					Observer.this.seen.add("end " + ((error != null) ? error.getClass().getSimpleName() : null));
				}

			};
		}

	}

	@Job
	static class One {

		void handle(int number) {
		}

	}

	@Job(queue = "urgent")
	static class Other {

		void handle() {
		}

	}

}
