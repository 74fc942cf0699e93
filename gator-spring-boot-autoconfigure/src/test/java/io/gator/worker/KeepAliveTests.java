package io.gator.worker;

import java.time.Duration;
import java.util.List;

import io.gator.store.JobStore;
import io.gator.store.WorkerStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * A process that does nothing but run jobs lives as long as its pool does.
 */
class KeepAliveTests {

	@Test
	void slotsKeepTheProcessAlive() {
		assertKeepsAlive(false);
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void withVirtualSlotsThePollerKeepsTheProcessAlive() {
		assertKeepsAlive(true);
	}

	private static void assertKeepsAlive(boolean virtualThreads) {
		JobStore store = mock(JobStore.class);
		given(store.statementTimeout()).willReturn(Duration.ofSeconds(10));
		try (TestServices services = new TestServices(store)) {
			WorkerPool pool = new WorkerPool(TestSettings.slots(1).name("alive").virtualThreads(virtualThreads).get(),
					mock(WorkerStore.class), services.get(), (queues) -> {
					});
			pool.start();
			assertThat(threads()).isNotEmpty();
			pool.stop();
			await().until(() -> threads().isEmpty());
		}
	}

	private static List<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.isAlive() && !thread.isDaemon() && thread.getName().startsWith("gator-alive-"))
			.toList();
	}

}
