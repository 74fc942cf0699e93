package io.gator.worker;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.gator.Job;
import io.gator.store.WorkerStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

class PoolQueuesTests {

	private final WorkerStore workers = mock(WorkerStore.class);

	private final TestServices services = new TestServices(new FakeJobStore(), Orders.class);

	private final WorkerPool pool = new WorkerPool(TestSettings.slots(1).queues(Map.of("mail", 3, "*", 1)).get(),
			this.workers, this.services.get(), (queues) -> {
			});

	@AfterEach
	void close() {
		this.services.close();
	}

	@Test
	void theQueuesThatAreConfiguredAndThoseOfJobsAreMadeKnown() {
		this.pool.registerQueues();
		then(this.workers).should().registerQueues(Set.of("mail", "orders"));
	}

	@Test
	void aPoolThatDoesNotRunNeedNotBeWoken() {
		assertThatNoException().isThrownBy(() -> this.pool.wake(List.of("mail")));
	}

	@Job(queue = "orders")
	static class Orders {

		void handle() {
		}

	}

}
