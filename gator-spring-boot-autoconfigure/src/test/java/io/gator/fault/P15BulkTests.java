package io.gator.fault;

import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

import io.gator.Job;
import io.gator.JobDispatchException;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.DataAccessException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * P15: a bulk is all or nothing, wherever it fails, and whatever the application sets for
 * its connections. What is refused before any SQL is shown in
 * {@code io.gator.dispatch.BulkTests}.
 */
@FreshDatabase
class P15BulkTests {

	/** Three chunks, and enough rows in the last one for it to be copied too. */
	private static final int MANY = 110_000;

	private final DatabaseHandle database;

	private final JobTable table;

	P15BulkTests(DatabaseHandle database) {
		this.database = database;
		this.table = JobTable.empty(database);
	}

	@BeforeEach
	void refuseTheLastNumber() {
		this.table.clear();
		this.database.jdbc().sql("""
				create or replace function refuse() returns trigger language plpgsql as $$ begin
				    if new.args::text = '[%d]' then
				        raise exception 'this number is refused' using errcode = '22003';
				    end if;
				    return new;
				end $$;
				create or replace trigger refuse before insert on gator_job for each row execute function refuse();
				""".formatted(MANY - 1)).update();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anErrorInTheLastChunkLeavesNothing(boolean autoCommit) {
		try (TestApplication application = start(this.database.port(), autoCommit)) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			assertNothingIsLeft(() -> jobs.dispatchMany(Number.class, numbers()));
			// The connection is as it was.
			assertThat(jobs.dispatchMany(Number.class, numbers().subList(0, MANY - 1))).hasSize(MANY - 1);
			assertThat(this.table.count("gator_job")).isEqualTo(MANY - 1);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aConnectionThatBreaksBetweenTheChunksLeavesNothing(boolean autoCommit) {
		try (WireProxy proxy = new WireProxy(this.database.port());
				TestApplication application = start(proxy.port(), autoCommit)) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			proxy.loseAnswers((sql) -> sql.startsWith("copy") && sql.contains("gator_job"), 3);
			assertNothingIsLeft(() -> jobs.dispatchMany(Number.class, numbers().subList(0, MANY - 1)));
			assertThat(proxy.lost()).isOne();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aBulkThatFailsInATransactionLeavesNothingAndTheRestIsTheCallers(boolean autoCommit) {
		try (TestApplication application = start(this.database.port(), autoCommit)) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			TransactionTemplate transaction = new TransactionTemplate(
					application.bean(PlatformTransactionManager.class));
			List<Object> spoiled = new ArrayList<>(numbers());
			spoiled.set(MANY - 500, "no number");
			for (ThrowingCallable bulk : List.<ThrowingCallable>of(
					() -> jobs.dispatchMany(Number.class, Arrays.asList(1, null, 3)),
					() -> jobs.dispatchMany(Number.class, new Breaking()),
					() -> jobs.dispatchMany(Number.class, spoiled), () -> jobs.dispatchMany(Number.class, numbers()))) {
				this.table.clear();
				transaction.executeWithoutResult((status) -> {
					jobs.dispatch(Number.class, 1);
					assertThatThrownBy(bulk).isInstanceOfAny(JobDispatchException.class, DataAccessException.class);
				});
				assertThat(this.table.count("gator_job")).isOne();
			}
		}
	}

	private void assertNothingIsLeft(ThrowingCallable dispatch) {
		assertThatThrownBy(dispatch).isInstanceOf(DataAccessException.class);
		assertThat(this.table.count("gator_job")).isZero();
	}

	private static List<Integer> numbers() {
		return IntStream.range(0, MANY).boxed().toList();
	}

	private TestApplication start(int port, boolean autoCommit) {
		return TestApplication.start(this.database, List.of(Number.class),
				"spring.datasource.url=jdbc:postgresql://localhost:" + port + "/" + this.database.name()
						+ "?sslmode=disable&gssEncMode=disable",
				"spring.datasource.hikari.auto-commit=" + autoCommit, "gator.worker.enabled=false");
	}

	/** Gives some elements and breaks. */
	private static final class Breaking extends AbstractCollection<Integer> {

		@Override
		public Iterator<Integer> iterator() {
			Iterator<Integer> some = Collections.nCopies(5_000, 1).iterator();
			return new Iterator<>() {
				@Override
				public boolean hasNext() {
					return true;
				}

				@Override
				public Integer next() {
					if (!some.hasNext()) {
						throw new IllegalStateException("broken");
					}
					return some.next();
				}
			};
		}

		@Override
		public int size() {
			return MANY;
		}

	}

	/** Takes a number. */
	@Job
	static class Number {

		void handle(int number) {
		}

	}

}
