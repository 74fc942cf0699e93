package io.gator.fault;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Processes that are started at once on a database in which there is nothing yet.
 */
@FreshDatabase
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class MigratorsTests {

	private static final int PROCESSES = 8;

	@Test
	void eightProcessesThatMigrateAnEmptyDatabaseAtOnceAllComeUpAndWork(DatabaseHandle database,
			@TempDir Path directory) throws Exception {
		letMigrationsTakeTheirTime(database);
		List<WorkerProcess> processes = List.of();
		try (StartSignal start = StartSignal.hold(database)) {
			// The schema is not there yet either.
			processes = WorkerProcess.startAll(PROCESSES, directory, database, "gator.schema=jobs",
					"gator.fault.migrator=true");
			await().atMost(Duration.ofSeconds(90)).until(() -> StartSignal.waiting(database) == PROCESSES);
			start.give();
			List<WorkerProcess> all = processes;
			await().atMost(Duration.ofSeconds(90)).until(() -> entries(all, "MIGRATING").count() == PROCESSES);
			database.jdbc().sql("delete from held_up").update();
			WorkerProcess.awaitAllReady(processes);
			long last = entries(processes, "MIGRATING").mapToLong(Journal.Entry::nanos).max().orElseThrow();
			long first = entries(processes, "MIGRATED").mapToLong(Journal.Entry::nanos).min().orElseThrow();
			assertThat(last).as("all have begun before one is through").isLessThan(first);
			assertThat(database.jdbc()
				.sql("select version from jobs.gator_schema_history where version is not null and success")
				.query(String.class)
				.list()).containsExactlyInAnyOrder(versions());
			assertEachDispatchedWhatIsDone(processes);
			System.out.printf("P19 %d processes migrated at once, the first was through after %d ms%n", PROCESSES,
					TimeUnit.NANOSECONDS.toMillis(first - last));
		}
		finally {
			processes.forEach(WorkerProcess::kill);
		}
	}

	/**
	 * The first one is not committed before all others have begun, and some time more, in
	 * which they look whether there is anything.
	 */
	private static void letMigrationsTakeTheirTime(DatabaseHandle database) {
		database.jdbc().sql("""
				create table held_up as select;
				create function take_time() returns event_trigger language plpgsql as $$
				begin
				    while exists (select from public.held_up) loop
				        perform pg_sleep(0.05);
				    end loop;
				    perform pg_sleep(0.5);
				end $$;
				create event trigger take_time on ddl_command_start when tag in ('CREATE VIEW')
				    execute function take_time();
				""").update();
	}

	private static void assertEachDispatchedWhatIsDone(List<WorkerProcess> processes) {
		List<Long> dispatched = entries(processes, "DISPATCHED").map((entry) -> entry.number(0)).toList();
		assertThat(entries(processes, "DISPATCHED").map((entry) -> entry.number(1)))
			.containsExactlyInAnyOrderElementsOf(processes.stream().map(WorkerProcess::pid).toList());
		await().until(() -> entries(processes, "RAN").count() >= PROCESSES);
		assertThat(entries(processes, "RAN").map((entry) -> entry.number(0)))
			.containsExactlyInAnyOrderElementsOf(dispatched);
	}

	private static Stream<Journal.Entry> entries(List<WorkerProcess> processes, String what) {
		return processes.stream().flatMap((process) -> process.journal(what));
	}

	private static String[] versions() throws IOException {
		return Arrays
			.stream(new PathMatchingResourcePatternResolver().getResources("classpath*:io/gator/migration/V*__*.sql"))
			.map((script) -> String.valueOf(script.getFilename()).replaceAll("V(.*)__.*", "$1"))
			.toArray(String[]::new);
	}

}
