package io.gator.store;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.gator.JobState;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The view {@code gator_jobs}: every job once, in the state that its row says.
 */
@FreshDatabase
class JobsViewTests {

	private final JobTable table;

	private final JdbcClient jdbc;

	private final AdminStore admin;

	JobsViewTests(DatabaseHandle database) {
		this.table = JobTable.empty(database);
		this.jdbc = database.jdbc();
		this.admin = GatorStores.open(database.createDataSource(), "public", Duration.ofSeconds(10), true).admin();
	}

	@BeforeEach
	void clear() {
		this.table.clear();
	}

	@ParameterizedTest
	@CsvSource(nullValues = "-", textBlock = """
			# due in, error, pool, state
			-,       -,     -,    WAITING
			-1 hour, -,     -,    WAITING
			1 hour,  -,     -,    SCHEDULED
			1 hour,  error, -,    FAILED
			-1 hour, error, -,    FAILED
			-,       error, -,    WAITING
			-,       -,     5,    RUNNING
			-1 hour, -,     5,    RUNNING
			-1 hour, error, 5,    RUNNING
			""")
	void aLiveJobHasTheStateOfItsRow(@Nullable String due, @Nullable String error, @Nullable Long pool,
			JobState state) {
		long id = this.jdbc.sql("""
				insert into gator_job (queue, name, args, next_execution_at, error_details, reserved_by, reserved_at)
				values ('a', 'Work', '[]', now() + ?::interval, ?, ?, case when ?::bigint is not null then now() end)
				returning id
				""").params(Arrays.asList(due, error, pool, pool)).query(Long.class).single();
		assertIs(id, state);
		assertThat(this.table.job(id)).containsEntry("worker_id", pool).containsEntry("error_details", error);
	}

	@Test
	void aJobThatIsOverHasItsStateForGood() {
		this.jdbc.sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, error_details)
				values (1, 'a', 'Work', '[1]', 3, 3, now(), 'error')
				""").update();
		this.jdbc.sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, result)
				values (2, 'a', 'Work', 'SUCCEEDED', 1, 1, now(), '7'), (3, 'a', 'Work', 'CANCELLED', 1, 1, now(), null)
				""").update();
		assertIs(1, JobState.DEAD);
		assertIs(2, JobState.SUCCEEDED);
		assertIs(3, JobState.CANCELLED);
		assertThat(this.table.job(1)).containsEntry("error_details", "error")
			.hasEntrySatisfying("args", (args) -> assertThat(args).hasToString("[1]"))
			.hasEntrySatisfying("finished_at", (time) -> assertThat(time).isNotNull());
		assertThat(this.table.job(2)).hasEntrySatisfying("result", (json) -> assertThat(json).hasToString("7"))
			.hasEntrySatisfying("finished_at", (time) -> assertThat(time).isNotNull());
	}

	/** The view for people and the look of the engine must not disagree. */
	private void assertIs(long id, JobState state) {
		List<Map<String, Object>> rows = this.jdbc.sql("select state from gator_jobs where id = ?")
			.param(id)
			.query()
			.listOfRows();
		assertThat(rows).containsExactly(Map.of("state", state.name()));
		assertThat(this.admin.find(id)).get().extracting(StoredJob::state).isEqualTo(state);
	}

}
