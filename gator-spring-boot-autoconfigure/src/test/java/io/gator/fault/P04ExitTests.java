package io.gator.fault;

import java.nio.file.Path;
import java.time.Duration;

import io.gator.Job;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * P4: a job that ends its JVM in order, so that its pool stops while it waits, is charged
 * as one is that kills it.
 */
@FreshDatabase
@Timeout(120)
class P04ExitTests {

	private static final int STATUS = 67;

	@Test
	void aJobThatCallsExitEndsDeadWithTheReasonAndItsNeighbourGoesBackUncharged(@TempDir Path directory,
			DatabaseHandle database) {
		JobTable jobs = JobTable.empty(database);
		long exit = jobs.insert("default", "Exit", "[]");
		long neighbour = jobs.insert("default", "Work", "[60000, false]");
		WorkerProcess first = start(directory.resolve("first"), database);
		assertThat(first.awaitEnd(90)).as(first::log).isTrue();
		assertThat(first.exitValue()).as(first::log).isEqualTo(STATUS);
		assertThat(jobs.job(exit)).containsEntry("attempts", 1);
		assertThat(jobs.job(neighbour)).containsEntry("attempts", 0);
		WorkerProcess second = start(directory.resolve("second"), database);
		try {
			await().atMost(Duration.ofSeconds(60)).until(() -> jobs.job(exit).get("state").equals("DEAD"));
			assertThat(jobs.job(exit)).containsEntry("attempts", 1);
			assertThat(jobs.job(exit).get("error_details").toString()).contains("System.exit");
			assertThat(second.isAlive()).isTrue();
		}
		finally {
			second.kill();
		}
	}

	private static WorkerProcess start(Path directory, DatabaseHandle database) {
		assertThat(directory.toFile().mkdir()).isTrue();
		return WorkerProcess
			.startAll(1, directory, database, "gator.fault.application=" + Jobs.class.getName(),
					"gator.worker.shutdown-timeout=200ms")
			.get(0);
	}

	/** What the process runs besides. */
	@Configuration(proxyBeanMethods = false)
	static class Jobs {

		@Bean
		Exit exit() {
			return new Exit();
		}

	}

	/** What was the main method of a tool, perhaps. */
	@Job
	static class Exit {

		void handle() {
			System.exit(STATUS);
		}

	}

}
