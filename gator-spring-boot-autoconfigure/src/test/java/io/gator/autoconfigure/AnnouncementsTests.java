package io.gator.autoconfigure;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.JobAdmin;
import io.gator.JobInfo;
import io.gator.JobState;
import io.gator.JobTemplate;
import io.gator.Recurring;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.StoppableServer;
import io.gator.test.TestApplication;
import io.gator.worker.NotificationListener;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Who is told of work. Polls are so rare that nothing else finds it.
 */
@FreshDatabase
class AnnouncementsTests {

	private static final String RARE_POLLS = "gator.worker.poll-interval=1h";

	/** One may be found by a poll that was under way. */
	private static final int ROUNDS = 3;

	@Test
	void thePoolsOfAProcessHearOfWhatItDispatches(DatabaseHandle database) {
		JobTable table = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database, List.of(Work.class), RARE_POLLS,
				"gator.worker.wake-up=poll", "gator.worker.queues.default=1",
				"gator.worker.pools.other.queues.another=1")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			TransactionTemplate transaction = new TransactionTemplate(
					application.bean(PlatformTransactionManager.class));
			for (int i = 0; i < ROUNDS; i++) {
				table.awaitState(jobs.dispatch(Work.class), "SUCCEEDED");
				List<Long> both = Objects.requireNonNull(transaction.execute((status) -> List
					.of(jobs.dispatch(Work.class), jobs.to(Work.class).queue("another").dispatch())));
				both.forEach((id) -> table.awaitState(id, "SUCCEEDED"));
			}
		}
	}

	@Test
	void thePoolsOfOtherProcessesHearOfWhatOneDispatchesOrRetries(DatabaseHandle database) {
		JobTable table = JobTable.empty(database);
		List<Class<?>> beans = List.of(Work.class, Fail.class);
		try (TestApplication worker = TestApplication.start(database, beans, RARE_POLLS);
				TestApplication other = TestApplication.start(database, beans, "gator.worker.enabled=false")) {
			await().until(worker.bean(NotificationListener.class)::isListening);
			JobTemplate jobs = other.bean(JobTemplate.class);
			for (int i = 0; i < ROUNDS; i++) {
				table.awaitState(jobs.dispatch(Work.class), "SUCCEEDED");
			}
			long dead = jobs.dispatch(Fail.class);
			table.awaitState(dead, "DEAD");
			for (int i = 0; i < ROUNDS; i++) {
				String again = "gator_dead_job where id = %d and lease > %d".formatted(dead, i + 1);
				assertThat(other.bean(JobAdmin.class).retry(dead)).isTrue();
				await().until(() -> table.count(again) == 1);
			}
		}
	}

	/**
	 * A server on another machine is reached through encrypted sessions, where the driver
	 * puts sockets of its own on those of the engine.
	 */
	@Test
	void aPoolHearsThroughAnEncryptedSessionOfWhatOthersDispatch() {
		try (StoppableServer server = StoppableServer.start(); DatabaseHandle database = server.createDatabase()) {
			server.encrypt();
			JobTable table = JobTable.empty(database);
			List<Class<?>> beans = List.of(Work.class);
			String url = "spring.datasource.url=" + database.url() + "?sslmode=require";
			try (TestApplication worker = TestApplication.start(database, beans, url, RARE_POLLS);
					TestApplication other = TestApplication.start(database, beans, url, "gator.worker.enabled=false")) {
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

	@Test
	void thePoolsOfAProcessHearOfTheTicksThatItMakes(DatabaseHandle database) throws Exception {
		JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database, List.of(Tick.class), RARE_POLLS)) {
			assertThat(application.bean(Tick.class).ticks.await(30, TimeUnit.SECONDS)).isTrue();
		}
	}

	@Test
	void thePoolsOfAProcessHearAtOnceWhichQueuesItPausesAndResumes(DatabaseHandle database) {
		JobTable table = JobTable.empty(database);
		try (TestApplication application = TestApplication.start(database, List.of(Work.class), RARE_POLLS,
				"gator.worker.wake-up=poll", "gator.worker.heartbeat=10m", "gator.worker.lease=1h")) {
			JobTemplate jobs = application.bean(JobTemplate.class);
			JobAdmin admin = application.bean(JobAdmin.class);
			for (int i = 0; i < ROUNDS; i++) {
				table.awaitState(jobs.dispatch(Work.class), "SUCCEEDED");
				admin.pause("default");
				long paused = jobs.dispatch(Work.class);
				table.awaitState(jobs.to(Work.class).queue("another").dispatch(), "SUCCEEDED");
				assertThat(admin.find(paused)).map(JobInfo::state).contains(JobState.WAITING);
				admin.resume("default");
				table.awaitState(paused, "SUCCEEDED");
			}
		}
	}

	@Job
	static class Work {

		void handle() {
		}

	}

	@Job
	static class Fail {

		void handle() {
			throw new IllegalStateException("it failed");
		}

	}

	@Job
	@Recurring(every = "1s")
	static class Tick {

		final CountDownLatch ticks = new CountDownLatch(ROUNDS);

		void handle() {
			this.ticks.countDown();
		}

	}

}
