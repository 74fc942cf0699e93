package io.gator.fault;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobTemplate;
import io.gator.RetryWith;
import io.gator.test.DatabaseHandle;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import io.gator.test.TestDatabase;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P19: two versions of an application run side by side. The new one knows one job more
 * and one by another name, and its Gator has changed the tables. That eight may migrate
 * at once is shown in {@link MigratorsTests}.
 */
class P19VersionsTests {

	@Test
	void twoVersionsRunSideBySideAndEachLeavesAloneWhatOnlyTheOtherKnows() {
		try (DatabaseHandle database = TestDatabase.create()) {
			JobTable table = JobTable.empty(database);
			try (TestApplication old = startOld(database)) {
				Shared ofOld = old.bean(Shared.class);
				// Until the server has prepared the statements of the old version.
				for (int i = 1; i <= 10; i++) {
					dispatchWhatTheOldOneKnows(old.bean(JobTemplate.class));
					int runs = i;
					await().until(() -> ofOld.runs.get() == runs && table.count("gator_dead_job") == runs);
					await().until(() -> table.count("gator_job") == 0);
				}
				migrateFurther(database);
				int before = table.count("gator_job_history");
				try (TestApplication next = startNext(database)) {
					for (int i = 0; i < 100; i++) {
						dispatchWhatTheOldOneKnows(old.bean(JobTemplate.class));
						dispatchWhatTheNextOneKnows(next.bean(JobTemplate.class));
					}
					table.awaitEmpty();
					assertThat(table.count("gator_job_history")).isEqualTo(before + 100 * 5);
					assertThat(table.count("gator_dead_job")).isEqualTo(10 + 100);
					assertThat(next.bean(Extra.class).runs).hasValue(100);
					assertThat(ofOld.runs.get() + next.bean(Shared.class).runs.get()).isEqualTo(10 + 2 * 100);
					assertThat(old.bean(SendMail.class).runs.get() + next.bean(SendLetter.class).runs.get())
						.isEqualTo(10 + 2 * 100);
				}
				// The next version is taken back: what only it knows waits for it.
				List<Long> unknown = database.jdbc().sql("""
						insert into gator_job (queue, name, args)
						values ('default', 'Extra', '[]'), ('default', 'SendLetter', '["x"]') returning id
						""").query(Long.class).list();
				int seen = ofOld.runs.get();
				dispatchWhatTheOldOneKnows(old.bean(JobTemplate.class));
				await().until(() -> ofOld.runs.get() == seen + 1);
				await().until(() -> table.count("gator_job") == 2);
				assertThat(table.count("gator_job where attempts = 0 and lease = 0 and reserved_by is null"))
					.isEqualTo(2);
				assertThat(old.bean(JobAdmin.class).find(unknown.get(0))).isPresent();
			}
			// The old one also starts on the tables of the next one.
			long byTheOldName;
			try (TestApplication old = startOld(database)) {
				dispatchWhatTheOldOneKnows(old.bean(JobTemplate.class));
				await().until(() -> old.bean(Shared.class).runs.get() == 1 && table.count("gator_job") == 2);
			}
			byTheOldName = table.insert("default", "SendMail", "[\"left over\"]");
			try (TestApplication next = startNext(database)) {
				table.awaitEmpty();
				assertThat(next.bean(SendLetter.class).runs).hasValue(2);
				assertThat(next.bean(Extra.class).runs).hasValue(1);
				assertThat(table.states(byTheOldName)).containsExactly("SUCCEEDED");
			}
		}
	}

	@Test
	void aJobThatRunsWhileTheTablesChangeIsSettled() throws Exception {
		try (DatabaseHandle database = TestDatabase.create(); TestApplication old = startOld(database)) {
			JobTable table = JobTable.empty(database);
			long id = old.bean(JobTemplate.class).dispatch(Slow.class);
			Slow slow = old.bean(Slow.class);
			assertThat(slow.running.await(10, TimeUnit.SECONDS)).isTrue();
			migrateFurther(database);
			slow.mayEnd.countDown();
			table.awaitState(id, "SUCCEEDED");
		}
	}

	private static void dispatchWhatTheOldOneKnows(JobTemplate jobs) {
		jobs.dispatch(Shared.class, 1);
		jobs.dispatch(SendMail.class, "old");
		jobs.dispatch(Failing.class);
	}

	private static void dispatchWhatTheNextOneKnows(JobTemplate jobs) {
		jobs.dispatch(Shared.class, 2);
		jobs.dispatch(Extra.class);
		// Rows get the former name for as long as the old version is there to run them.
		jobs.to("SendMail").dispatch("next");
	}

	/** What a later version may do: add what need not be there. */
	private static void migrateFurther(DatabaseHandle database) {
		database.jdbc()
			.sql("""
					alter table gator_job add column note text;
					alter table gator_dead_job add column note text;
					alter table gator_job_history add column note text;
					alter table gator_worker add column note text;
					alter table gator_queue add column note text;
					create index gator_job_note on gator_job (note) where note is not null;
					create table gator_note (id bigint primary key);
					insert into gator_schema_history
					       (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
					values (99, '99', 'note', 'SQL', 'V99__note.sql', 1, 'somebody', 1, true);
					""")
			.update();
	}

	private static TestApplication startOld(DatabaseHandle database) {
		return TestApplication.start(database, List.of(Shared.class, SendMail.class, Failing.class, Slow.class));
	}

	private static TestApplication startNext(DatabaseHandle database) {
		return TestApplication.start(database,
				List.of(Shared.class, SendLetter.class, Extra.class, Failing.class, Slow.class));
	}

	/** Known to both. */
	@Job
	static class Shared {

		final AtomicInteger runs = new AtomicInteger();

		void handle(int number) {
			this.runs.incrementAndGet();
		}

	}

	/** Dies, in both. */
	@Job
	@RetryWith(maxRetries = 0)
	static class Failing {

		void handle() {
			throw new IllegalStateException("on purpose");
		}

	}

	/** The former name. */
	@Job
	static class SendMail {

		final AtomicInteger runs = new AtomicInteger();

		void handle(String text) {
			this.runs.incrementAndGet();
		}

	}

	/** The new name. */
	@Job(aliases = "SendMail")
	static class SendLetter {

		final AtomicInteger runs = new AtomicInteger();

		void handle(String text) {
			this.runs.incrementAndGet();
		}

	}

	/** Known to the next version only. */
	@Job
	static class Extra {

		final AtomicInteger runs = new AtomicInteger();

		void handle() {
			this.runs.incrementAndGet();
		}

	}

	/** Runs until it may end. */
	@Job
	static class Slow {

		final CountDownLatch running = new CountDownLatch(1);

		final CountDownLatch mayEnd = new CountDownLatch(1);

		void handle() throws InterruptedException {
			this.running.countDown();
			this.mayEnd.await();
		}

	}

}
