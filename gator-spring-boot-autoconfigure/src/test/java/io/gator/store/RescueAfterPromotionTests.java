package io.gator.store;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.gator.test.DatabaseHandle;
import io.gator.test.StoppableServer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * P7: a standby takes over. It may have been up for days, so its start tells nothing.
 */
class RescueAfterPromotionTests {

	private static final Duration FOUR_BEATS = Duration.ofMinutes(4);

	@Test
	void freeLocksSayNothingOfAPoolThatHasNotBeatenSince() throws Exception {
		try (StoppableServer server = StoppableServer.start(); DatabaseHandle database = server.createDatabase()) {
			StoreTables tables = new StoreTables(database);
			long pool = tables.pool();
			ClaimedJob job = tables.claimed(pool);
			try (Notifications.Session session = tables.stores().notifications().open()) {
				assertThat(session.lock(pool)).isTrue();
			}
			server.stop("immediate");
			server.startPromoted();
			WorkerStore workers = tables.ofAnotherProcess().workers();
			tables.advance(FOUR_BEATS);
			assertThat(workers.rescue(List.of(), true)).isEmpty();
			assertThat(workers.beat(pool, 10, 1, Set.of(), Set.of()).alive()).isTrue();
			tables.advance(FOUR_BEATS);
			assertThat(workers.rescue(List.of(), true)).containsExactly(job.id());
		}
	}

}
