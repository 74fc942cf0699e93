package io.gator.store;

import java.sql.Connection;
import java.time.Duration;

import io.gator.JobQuery;
import io.gator.JobState;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The contract of {@link AdminStore#retrySome}.
 */
@FreshDatabase
class RetrySomeTests {

	private final DatabaseHandle database;

	RetrySomeTests(DatabaseHandle database) {
		this.database = database;
		JobTable.empty(database);
	}

	@Test
	void aKeyThatSomebodyIsJustDispatchingHoldsUpNoOtherJob() throws Exception {
		this.database.jdbc().sql("""
				insert into gator_dead_job (id, queue, name, args, attempts, lease, created_at, unique_key)
				select n, 'default', 'Work', '[]', 1, 1, now(), case when n = 102 then 'key' end
				  from generate_series(101, 103) n
				""").update();
		AdminStore admin = GatorStores.open(this.database.hikari(1), "public", Duration.ofSeconds(1), true).admin();
		JobQuery all = JobQuery.of(JobState.DEAD);
		try (Connection dispatch = this.database.createDataSource().getConnection()) {
			dispatch.setAutoCommit(false);
			dispatch.createStatement()
				.execute(
						"insert into gator_job (queue, name, args, unique_key) values ('default', 'Work', '[]', 'key')");
			assertThat(admin.retrySome(all)).containsExactlyInAnyOrder(new AdminStore.Retried(101, "default"),
					new AdminStore.Retried(102, null), new AdminStore.Retried(103, "default"));
			dispatch.commit();
		}
		assertThat(admin.retrySome(all)).containsExactly(new AdminStore.Retried(102, "default"));
		assertThat(admin.retrySome(all)).isEmpty();
	}

}
