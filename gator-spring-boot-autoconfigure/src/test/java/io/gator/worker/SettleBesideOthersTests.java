package io.gator.worker;

import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One row that cannot be written does not keep the others from it.
 */
@FreshDatabase
class SettleBesideOthersTests {

	private static CountDownLatch mayEnd = new CountDownLatch(1);

	private static CountDownLatch started = new CountDownLatch(1);

	private final DatabaseHandle database;

	private final JdbcClient jdbc;

	private final JobTable jobs;

	SettleBesideOthersTests(DatabaseHandle database) {
		this.database = database;
		this.jdbc = database.jdbc();
		this.jobs = JobTable.empty(database);
		mayEnd = new CountDownLatch(1);
		started = new CountDownLatch(1);
	}

	@AfterEach
	void end() {
		mayEnd.countDown();
	}

	@Test
	void whileSomebodyHoldsTheRowOfAJobOthersAreSettledAndThenItIs() throws Exception {
		try (TestApplication application = start();
				Connection holder = this.database.createDataSource().getConnection()) {
			long held = this.jobs.insert("default", "Waits", "[]");
			assertThat(started.await(10, TimeUnit.SECONDS)).isTrue();
			holder.setAutoCommit(false);
			JdbcClient.create(new SingleConnectionDataSource(holder, true))
				.sql("select id from gator_job where id = ? for update")
				.param(held)
				.query(Long.class)
				.single();
			mayEnd.countDown();
			application.bean(JobTemplate.class)
				.dispatchMany(Short.class, List.of(1, 2, 3))
				.forEach((id) -> this.jobs.awaitState(id, "SUCCEEDED"));
			assertThat(this.jobs.states(held)).containsExactly("RUNNING");
			holder.rollback();
			this.jobs.awaitState(held, "SUCCEEDED");
		}
	}

	@Test
	void whileATriggerRefusesOneRowOthersAreSettledAndThenItIs() {
		long refused = this.jobs.insert("default", "Short", "[0]");
		this.jdbc.sql("""
				create function refuse() returns trigger language plpgsql as
				$$ begin if new.id = %d then raise exception 'not this one'; end if; return new; end $$
				""".formatted(refused)).update();
		this.jdbc.sql("create trigger refuse before insert on gator_job_history for each row execute function refuse()")
			.update();
		try (TestApplication application = start()) {
			application.bean(JobTemplate.class)
				.dispatchMany(Short.class, List.of(1, 2, 3))
				.forEach((id) -> this.jobs.awaitState(id, "SUCCEEDED"));
			assertThat(this.jobs.states(refused)).containsExactly("RUNNING");
			this.jdbc.sql("drop trigger refuse on gator_job_history").update();
			this.jobs.awaitState(refused, "SUCCEEDED");
		}
	}

	private TestApplication start() {
		return TestApplication.start(this.database, List.of(Waits.class, Short.class), "gator.statement-timeout=1s");
	}

	@Job
	static class Waits {

		void handle() throws InterruptedException {
			started.countDown();
			assertThat(mayEnd.await(30, TimeUnit.SECONDS)).isTrue();
		}

	}

	@Job
	static class Short {

		void handle(int number) {
		}

	}

}
