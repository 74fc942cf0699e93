package io.gator.maintenance;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.gator.Job;
import io.gator.JobTemplate;
import io.gator.Recurring;
import io.gator.Unique;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

/**
 * A tick beside the job of the one before it, or beside one that somebody has dispatched.
 */
@FreshDatabase
class OverlappingTicksTests extends AbstractTickerTests {

	OverlappingTicksTests(DatabaseHandle database) {
		super(database);
	}

	@Test
	void aTickIsSkippedWhileTheJobOfTheLastOneLives() {
		fresh(Hourly.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		fresh(Hourly.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		assertThat(fresh(Hourly.class).runOnce()).isOne();
		assertThat(jobs("Hourly")).isOne();
		this.clock.advance(Duration.ofHours(1));
		assertThat(fresh(Hourly.class).runOnce()).isOne();
		assertThat(jobs("Hourly")).as("behind a tick that was skipped").isOne();
		forgetJobs();
		this.clock.advance(Duration.ofHours(1));
		fresh(Hourly.class).runOnce();
		assertThat(jobs("Hourly")).isOne();
	}

	@Test
	void aTickOfAUniqueJobIsSkippedWhileOneThatWasDispatchedLives() {
		fresh(Sync.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		try (TestApplication application = producer()) {
			application.bean(JobTemplate.class).dispatch(Sync.class);
		}
		assertThat(fresh(Sync.class).runOnce()).isOne();
		assertThat(jobs("Sync")).isOne();
		forgetJobs();
		this.clock.advance(Duration.ofHours(1));
		assertThat(fresh(Sync.class).runOnce()).isOne();
		assertThat(jobs("Sync")).isOne();
	}

	@Test
	void aUniqueJobIsNotDispatchedWhileThatOfItsTickLives() {
		fresh(Sync.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		fresh(Sync.class).runOnce();
		Map<String, Object> job = this.database.jdbc()
			.sql("select id, unique_until_started from gator_job")
			.query()
			.singleRow();
		assertThat(job).containsEntry("unique_until_started", true);
		try (TestApplication application = producer()) {
			assertThat(application.bean(JobTemplate.class).dispatch(Sync.class)).isEqualTo(job.get("id"));
		}
	}

	@Test
	void aTickWaitsForTheDispatchOfAUniqueJobThatMayYetBeRolledBack() {
		fresh(Sync.class).runOnce();
		this.clock.advance(Duration.ofHours(1));
		try (TestApplication application = producer()) {
			new TransactionTemplate(application.bean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> {
					application.bean(JobTemplate.class).dispatch(Sync.class);
					// Far less than a statement may take: other ticks are due as well.
					assertTimeout(Duration.ofSeconds(15), () -> assertThat(fresh(Sync.class).runOnce()).isZero());
					status.setRollbackOnly();
				});
		}
		assertThat(fresh(Sync.class).runOnce()).isOne();
		assertThat(jobs("Sync")).isOne();
	}

	private TestApplication producer() {
		return TestApplication.start(this.database, List.of(Sync.class), "gator.worker.enabled=false");
	}

	@Job
	@Recurring(every = "1h")
	@Unique(until = Unique.Until.STARTED)
	static class Sync {

		void handle() {
		}

	}

}
