package io.gator.maintenance;

import java.time.Duration;

import io.gator.store.TestClock;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@FreshDatabase
class HistoryPrunerTests {

	@Test
	void whatIsTooOldIsDeletedInChunksAndTheRestIsKept(DatabaseHandle database) {
		TestClock clock = new TestClock(database);
		database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
				select i, 'default', 'Old', 'SUCCEEDED', 1, 1, now(), now() from generate_series(1, 12000) i
				""").update();
		HistoryPruner pruner = new HistoryPruner(clock.stores().upkeep(), Duration.ofDays(1));
		assertThat(pruner.runOnce()).isZero();
		clock.advance(Duration.ofDays(1).plusMinutes(1));
		database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
				values (20000, 'default', 'New', 'SUCCEEDED', 1, 1, test_now(), test_now())
				""").update();
		assertThat(pruner.runOnce()).isEqualTo(12_000);
		assertThat(database.jdbc().sql("select name from gator_job_history").query(String.class).single())
			.isEqualTo("New");
	}

	@Test
	void onlyOneProcessIsAtItAtATime(DatabaseHandle database) throws Exception {
		TestClock clock = new TestClock(database);
		database.jdbc().sql("""
				insert into gator_job_history (id, queue, name, state, attempts, lease, created_at, finished_at)
				values (1, 'default', 'Old', 'SUCCEEDED', 1, 1, now(), now() - interval '2 days')
				""").update();
		try (var other = database.createDataSource().getConnection(); var statement = other.createStatement()) {
			statement.execute("select pg_advisory_lock(hashtext('gator.public.history'))");
			assertThat(clock.stores().upkeep().pruneHistory(Duration.ofDays(1), 10)).isZero();
		}
		assertThat(clock.stores().upkeep().pruneHistory(Duration.ofDays(1), 10)).isOne();
	}

}
