package io.gator.fault;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P17 and P3: a row never chooses a class, and no row stops the loop.
 */
@FreshDatabase
class P17HostileRowTests {

	@Test
	void aHostileRowStartsNothingAndStopsNothing(DatabaseHandle database) {
		JobTable table = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database, List.of(Plain.class, Open.class),
				"gator.worker.queues.default=1")) {
			String[] names = { "java.lang.Runtime", "io.gator.fault.P17HostileRowTests$Plain", "Plain.handle",
					"#{T(java.lang.Runtime).getRuntime().halt(1)}", "${java.home}", "plain",
					"Plain'; drop table gator_job; --", "systemProperties", "dataSource" };
			for (String name : names) {
				table.insert("default", name, "[\"x\"]");
			}
			String[] dead = { "[]", "{}", "null", "\"text\"", "[1,2,3]", "[[[[1]]]]",
					"[{\"@class\":\"java.lang.Runtime\"}]", "[[\"javax.naming.InitialContext\",{}]]",
					"[" + "[".repeat(900) + "]".repeat(900) + "]",
					"[{\"text\":[\"com.zaxxer.hikari.HikariDataSource\",{\"jdbcUrl\":\"x\"}]}]" };
			for (String args : dead) {
				table.insert("default", "Plain", args);
			}
			// Types that would let the row choose stay plain values.
			table.insert("default", "Open", "[[\"java.util.concurrent.CountDownLatch\",{\"count\":1}]]");
			table.insert("default", "Open", "[{\"@class\":\"java.lang.Thread\",\"@type\":\"java.lang.Thread\"}]");
			database.jdbc().sql("""
					insert into gator_job (queue, name, args, next_execution_at, created_at, reserved_at, metadata)
					values ('default', 'Plain', '["infinity"]', 'infinity', 'infinity', 'infinity', '[]'),
					       ('default', 'Plain', '["past"]', '-infinity', '-infinity', '-infinity', '"x"'),
					       ('default', 'Plain', '["old"]', '4713-01-01 BC', '4713-01-01 BC', null, '{"traceparent":1}')
					""").update();
			table.insert("default", "Plain", "[\"last\"]");
			Plain plain = application.bean(Plain.class);
			await().until(() -> plain.seen.containsAll(List.of("past", "old", "last")));
			await().until(() -> database.jdbc()
				.sql("select count(*) from gator_dead_job")
				.query(Integer.class)
				.single() == dead.length);
			assertThat(plain.seen).containsExactlyInAnyOrder("past", "old", "last");
			Open open = application.bean(Open.class);
			await().until(() -> open.seen.size() == 2);
			assertThat(open.seen).allSatisfy(
					(value) -> assertThat(value.getClass().getName()).matches("java\\.util\\.(Array|Linked|Hash).*"));
			assertThat(database.jdbc()
				.sql("select name from gator_job where reserved_by is null and attempts = 0 and name <> 'Plain'")
				.query(String.class)
				.list()).containsExactlyInAnyOrder(names);
		}
	}

	/** Takes a text. */
	@Job
	static class Plain {

		final List<String> seen = new CopyOnWriteArrayList<>();

		void handle(String text, JobContext job) {
			this.seen.add(text);
		}

	}

	/** Takes anything. */
	@Job
	static class Open {

		final List<Object> seen = new CopyOnWriteArrayList<>();

		void handle(Object anything) {
			this.seen.add(anything);
		}

	}

}
