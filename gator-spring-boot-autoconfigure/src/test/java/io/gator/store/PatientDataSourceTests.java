package io.gator.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class PatientDataSourceTests {

	@Test
	void whoWaitsForAServerThatIsAwayWaitsNoLongerOnceItIsClosed() {
		PatientDataSource source = new PatientDataSource("jdbc:postgresql://localhost:1/none", new Properties());
		ExecutorService pool = Executors.newSingleThreadExecutor();
		try {
			Future<Connection> opened = pool.submit(() -> source.getConnection());
			await().until(() -> source.trouble() != null);
			assertThat(opened).isNotDone();
			source.close();
			assertThat(opened).failsWithin(Duration.ofSeconds(30))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(SQLException.class);
		}
		finally {
			pool.shutdownNow();
		}
	}

}
