package io.gator.fault;

import java.util.List;

import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobTemplate;
import io.gator.RetryWith;
import io.gator.maintenance.HistoryPruner;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Where all tables are published PostgreSQL refuses to change or delete rows of a table
 * that cannot tell them apart.
 */
@FreshDatabase
class PublicationTests {

	@Test
	void aPublicationOfAllTablesHindersNothing(DatabaseHandle database) {
		JobTable table = JobTable.empty(database);
		database.jdbc().sql("create publication everything for all tables").update();
		try (TestApplication application = TestApplication.start(database, List.of(Fine.class, Broken.class),
				"gator.worker.heartbeat=100ms", "gator.history.retention=1ms")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			JobAdmin admin = application.bean(JobAdmin.class);
			jobs.dispatchMany(Fine.class, List.of(1, 2, 3));
			long discarded = jobs.dispatch(Broken.class);
			long retried = jobs.dispatch(Broken.class);
			await().until(() -> table.count("gator_dead_job where attempts = 2") == 2);
			assertThat(admin.discard(discarded)).isTrue();
			assertThat(admin.retry(retried)).isTrue();
			await().until(() -> table.count("gator_dead_job") == 1 && table.count("gator_job") == 0);
			assertThat(table.count("gator_job_history where state = 'SUCCEEDED'")).isEqualTo(3);
			await().until(() -> table.count("gator_worker where beat_at > started_at + interval '1 second'") == 1);
			// The application prunes as well.
			await().until(() -> {
				application.bean(HistoryPruner.class).runOnce();
				return table.count("gator_job_history") == 0;
			});
		}
		assertThat(table.count("gator_worker")).isZero();
	}

	@Test
	void everyTableCanTellItsRowsApart(DatabaseHandle database) {
		JobTable.empty(database);
		assertThat(database.jdbc().sql("""
				select c.relname::text
				  from pg_class c
				 where c.relnamespace = 'public'::regnamespace
				   and c.relkind = 'r'
				   and c.relreplident <> 'f'
				   and not exists (select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary)
				""").query(String.class).list()).isEmpty();
	}

	/** Takes a number. */
	@Job
	static class Fine {

		void handle(int number) {
		}

	}

	/** Fails, is tried again, and fails. */
	@Job
	@RetryWith(interval = "10ms", maxRetries = 1)
	static class Broken {

		void handle() {
			throw new IllegalStateException("on purpose");
		}

	}

}
