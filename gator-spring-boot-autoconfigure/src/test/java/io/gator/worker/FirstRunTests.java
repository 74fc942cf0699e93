package io.gator.worker;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import io.gator.Job;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;

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

	@Job
	static class Greet {

		final BlockingQueue<String> greeted = new LinkedBlockingQueue<>();

		void handle(String name) {
			this.greeted.add(name);
		}

	}

}
