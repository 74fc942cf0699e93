package io.gator.worker;

import java.util.Map;
import java.util.Set;

import io.gator.store.WorkerStore;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Where pools keep their identities, without a database.
 */
final class TestWorkers {

	private TestWorkers() {
	}

	/**
	 * Answers each beat that all is well and nothing new.
	 */
	static WorkerStore beating() {
		WorkerStore workers = mock(WorkerStore.class);
		given(workers.beat(anyLong(), anyInt(), anyInt(), any(), any()))
			.willReturn(new WorkerStore.Beat(true, Set.of(), Map.of(), false, ""));
		return workers;
	}

}
