package io.gator.autoconfigure;

import java.util.List;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.JobTable;
import io.gator.test.StoppableServer;
import io.gator.test.TestApplication;
import io.gator.worker.NotificationListener;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A server on another machine is reached through encrypted sessions, where the driver
 * puts sockets of its own on those of the engine.
 */
class EncryptedSessionsTests {

	/** One may be found by a poll that was under way. */
	private static final int ROUNDS = 3;

	@Test
	void aPoolHearsThroughAnEncryptedSessionOfWhatOthersDispatch() {
		try (StoppableServer server = StoppableServer.start(); DatabaseHandle database = server.createDatabase()) {
			server.encrypt();
			JobTable table = JobTable.empty(database);
			String url = "spring.datasource.url=" + database.url() + "?sslmode=require";
			try (TestApplication worker = TestApplication.start(database, List.of(Work.class), url,
					"gator.worker.poll-interval=1h");
					TestApplication other = TestApplication.start(database, List.of(Work.class), url,
							"gator.worker.enabled=false")) {
				await().until(worker.bean(NotificationListener.class)::isListening);
				assertThat(database.jdbc().sql("""
						select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid)
						 where application_name = 'gator'
						""").query(Boolean.class).list()).containsExactly(true);
				for (int i = 0; i < ROUNDS; i++) {
					table.awaitState(other.bean(JobTemplate.class).dispatch(Work.class), "SUCCEEDED");
				}
			}
		}
	}

	@Job
	static class Work {

		void handle() {
		}

	}

}
