package io.gator.worker;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@FreshDatabase
class FirstRunTests {

	@Test
	void aRowBecomesACallAndThenHistory(DatabaseHandle database) throws Exception {
		try (TestApplication application = TestApplication.start(database, List.of(Greet.class))) {
			database.jdbc()
				.sql("insert into gator_job (queue, name, args) values ('default', 'Greet', '[\"you\"]')")
				.update();
			assertThat(application.bean(Greet.class).greeted.poll(10, TimeUnit.SECONDS)).isEqualTo("you");
			await().until(() -> database.jdbc()
				.sql("select count(*) from gator_job_history where state = 'SUCCEEDED'")
				.query(Integer.class)
				.single() == 1);
			assertThat(database.jdbc().sql("select count(*) from gator_job").query(Integer.class).single()).isZero();
		}
		assertThat(database.jdbc().sql("select count(*) from gator_worker").query(Integer.class).single()).isZero();
	}

	@Test
	void withARetentionOfZeroNothingIsEverWrittenIntoTheHistory(DatabaseHandle database) throws Exception {
		JobTable table = JobTable.empty(database);
		// Whatever was written and deleted again would be seen.
		database.jdbc().sql("alter table gator_job_history add constraint nothing check (false)").update();
		try (TestApplication application = TestApplication.start(database, List.of(Greet.class),
				"gator.history.retention=0")) {
			table.insert("default", "Greet", "[\"you\"]");
			assertThat(application.bean(Greet.class).greeted.poll(10, TimeUnit.SECONDS)).isEqualTo("you");
			table.awaitEmpty();
			assertThat(table.count("gator_dead_job")).isZero();
		}
		finally {
			database.jdbc().sql("alter table gator_job_history drop constraint nothing").update();
		}
	}

	@Job
	static class Greet {

		final BlockingQueue<String> greeted = new LinkedBlockingQueue<>();

		void handle(String name) {
			this.greeted.add(name);
		}

	}

}
