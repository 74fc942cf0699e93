package io.gator.fault;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.test.DatabaseHandle;
import io.gator.test.JobTable;
import io.gator.test.StoppableServer;
import io.gator.test.TestApplication;
import io.gator.worker.NotificationListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P7 and P10: a server that is restarted in order costs no running job its attempt.
 */
class P07RestartTests {

	/** Longer than the engine waits for a connection. */
	private static final Duration AWAY = Duration.ofSeconds(6);

	@Test
	@Timeout(60)
	void aJobRunsOnWhileTheServerIsRestarted() throws Exception {
		try (StoppableServer server = StoppableServer.start();
				DatabaseHandle database = server.createDatabase();
				TestApplication application = TestApplication.start(database, List.of(Hold.class))) {
			JobTable jobs = JobTable.empty(database);
			awaitLock(application, jobs);
			long id = jobs.insert("default", "Hold", "[]");
			Hold.running.await();
			long away = System.nanoTime() + AWAY.toNanos();
			server.stop("fast");
			assertThat(Hold.interrupted.await(away - System.nanoTime(), TimeUnit.NANOSECONDS)).as("interrupted")
				.isFalse();
			Hold.mayEnd.countDown();
			server.startAgain();
			assertThat(jobs.awaitState(id, "SUCCEEDED")).containsEntry("attempts", 1);
		}
	}

	@Test
	@Timeout(60)
	void aJobWhoseEndIsLostWithTheServerRunsAgain() throws Exception {
		try (StoppableServer server = StoppableServer.start();
				DatabaseHandle database = server.createDatabase();
				TestApplication application = TestApplication.start(database, List.of(Quick.class))) {
			JobTable jobs = JobTable.empty(database);
			awaitLock(application, jobs);
			// As a replica that takes over without the last commits has it.
			database.jdbc().sql("""
					insert into gator_job (queue, name, args, attempts, lease, reserved_by, reserved_at)
					select 'default', 'Quick', '[]', 1, 1, id, now() from gator_worker
					""").update();
			server.stop("fast");
			server.startAgain();
			await().until(() -> jobs.count("gator_job_history where name = 'Quick'") == 1);
		}
	}

	private static void awaitLock(TestApplication application, JobTable jobs) {
		NotificationListener listener = application.bean(NotificationListener.class);
		await().until(() -> listener.isListening() && jobs.count("gator_worker where locked") == 1);
	}

	@Job
	static class Quick {

		void handle() {
		}

	}

	/** Runs until it may end. */
	@Job
	static class Hold {

		static final CountDownLatch running = new CountDownLatch(1);

		static final CountDownLatch interrupted = new CountDownLatch(1);

		static final CountDownLatch mayEnd = new CountDownLatch(1);

		void handle() throws InterruptedException {
			running.countDown();
			try {
				mayEnd.await();
			}
			catch (InterruptedException ex) {
				interrupted.countDown();
				throw ex;
			}
		}

	}

}
