package io.gator.fault;

import java.util.List;
import java.util.Objects;

import io.gator.JobTemplate;
import io.gator.autoconfigure.ObservabilityConfiguration;
import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.JobTable;
import io.gator.test.TestApplication;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

import static org.awaitility.Awaitility.await;

/**
 * P10: what is broken in the database while it answers is shown, and needs no restart
 * when it is set right.
 */
@FreshDatabase
class P10BrokenTableTests {

	@Test
	void aPoolThatCannotClaimIsDownUntilItCan(DatabaseHandle database) {
		try (TestApplication application = TestApplication.start(database,
				List.of(P10ReadOnlyTests.Work.class, ObservabilityConfiguration.class),
				"gator.worker.poll-interval=50ms")) {
			HealthIndicator health = application.bean(HealthIndicator.class);
			JobTable jobs = JobTable.empty(database);
			jobs.awaitState(application.bean(JobTemplate.class).dispatch(P10ReadOnlyTests.Work.class), "SUCCEEDED");
			await().until(() -> status(health).equals(Status.UP));
			database.jdbc().sql("alter table gator_job rename to gator_job_away").update();
			await().until(() -> status(health).equals(Status.DOWN));
			database.jdbc().sql("alter table gator_job_away rename to gator_job").update();
			await().until(() -> status(health).equals(Status.UP));
			jobs.awaitState(application.bean(JobTemplate.class).dispatch(P10ReadOnlyTests.Work.class), "SUCCEEDED");
		}
	}

	private static Status status(HealthIndicator health) {
		return Objects.requireNonNull(health.health()).getStatus();
	}

}
