package io.gator.autoconfigure;

import java.util.List;
import java.util.concurrent.RejectedExecutionException;

import io.gator.test.DatabaseHandle;
import io.gator.test.FreshDatabase;
import io.gator.test.TestApplication;
import io.gator.worker.WorkerPoolFactory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * P11: a start that fails halfway, as for want of threads, leaves nothing running either.
 */
@FreshDatabase
class FailedStartTests {

	@Test
	void aPoolThatCannotStartTakesEverythingElseWithIt(DatabaseHandle database) {
		try (TestApplication application = TestApplication.start(database, List.of(),
				"gator.worker.pools.reports.concurrency=2")) {
			application.context().stop();
			// Without its clock the first pool fails when its threads run already.
			application.bean(WorkerPoolFactory.class).destroy();
			assertThatThrownBy(() -> application.context().start())
				.hasRootCauseInstanceOf(RejectedExecutionException.class);
			await().until(() -> TestApplication.threads("gator-").isEmpty());
		}
	}

}
