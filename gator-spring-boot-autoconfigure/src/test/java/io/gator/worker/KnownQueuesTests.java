package io.gator.worker;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import io.gator.store.StoreExceptions;
import io.gator.store.WorkerStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.BDDMockito.willDoNothing;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;

class KnownQueuesTests {

	private final WorkerStore store = mock(WorkerStore.class);

	private final KnownQueues queues = new KnownQueues(this.store, TestSettings.slots(1).get(), Set.of("named"));

	private long now;

	private void learn(Map<String, Boolean> told) {
		this.queues.learn(told, this.now++);
	}

	@Test
	void whatAnOlderBeatTellsIsPassedOver() {
		this.queues.learn(Map.of("named", true), 2);
		this.queues.learn(Map.of("named", false), 1);
		assertThat(this.queues.all()).as("paused").isEqualTo(Map.of("named", true));
		this.queues.learn(Map.of("named", false), 3);
		assertThat(this.queues.all()).isEqualTo(Map.of("named", false));
	}

	@Test
	void aQueueOfWhichNoBeatTellsIsWrittenForWhoeverDispatchedToItAndServed() {
		this.queues.heardOf("heard");
		learn(Map.of("named", false));
		verify(this.store).registerHeardQueues(Set.of("heard"));
		assertThat(this.queues.all()).isEqualTo(Map.of("named", false, "heard", false));
		learn(Map.of("named", false, "heard", true));
		assertThat(this.queues.all()).isEqualTo(Map.of("named", false, "heard", true));
		verifyNoMoreInteractions(this.store);
	}

	@Test
	void aQueueThatCannotBeWrittenIsServedAllTheSameAndWrittenLater() {
		willThrow(StoreExceptions.passing()).given(this.store).registerHeardQueues(Set.of("heard"));
		this.queues.heardOf("heard");
		assertThatThrownBy(() -> learn(Map.of("named", false))).hasMessageContaining("do it");
		assertThat(this.queues.all()).containsKey("heard");
		willDoNothing().given(this.store).registerHeardQueues(Set.of("heard"));
		learn(Map.of("named", false));
		verify(this.store, times(2)).registerHeardQueues(Set.of("heard"));
		assertThat(this.queues.all()).containsOnlyKeys("named", "heard");
	}

	@Test
	void aQueueThatWasHeardOfIsNotMissingWhileABeatIsTakenOver() {
		this.queues.heardOf("heard");
		Map<String, Boolean> told = new HashMap<>(Map.of("named", false)) {
			@Override
			public Set<Map.Entry<String, Boolean>> entrySet() {
				assertThat(KnownQueuesTests.this.queues.all()).containsKey("heard");
				KnownQueuesTests.this.now += 10;
				return super.entrySet();
			}
		};
		learn(told);
		assertThat(this.now).as("the beat was read").isGreaterThan(10);
	}

	@Test
	void aQueueThatWasPausedAndIsNotInTheTableAnyMoreIsServed() {
		learn(Map.of("named", false, "paused", true));
		learn(Map.of("named", false));
		assertThat(this.queues.all()).containsEntry("paused", false);
	}

	@Test
	void aQueueThatABeatHasToldOfSinceIsNotWritten() {
		this.queues.heardOf("heard");
		learn(Map.of("named", false, "heard", true));
		assertThat(this.queues.all()).containsEntry("heard", true);
		verifyNoMoreInteractions(this.store);
	}

	@Test
	void aQueueThatBeatsTellOfNoMoreIsWrittenAgainIfThereAreJobsInIt() {
		learn(Map.of("named", false, "emptied", false));
		this.queues.heardOf("emptied");
		learn(Map.of("named", false));
		verify(this.store).registerHeardQueues(Set.of("emptied"));
		assertThat(this.queues.all()).containsOnlyKeys("named", "emptied");
		learn(Map.of("named", false));
		assertThat(this.queues.all()).as("nothing was in it").containsOnlyKeys("named");
		verifyNoMoreInteractions(this.store);
	}

	@Test
	void whatIsNoNameIsNotBelieved() {
		this.queues.heardOf("");
		this.queues.heardOf("no name");
		assertThat(this.queues.all()).isEmpty();
	}

	@Test
	void queuesThatAreHeardOfAreBelievedUpToALimit() {
		for (int i = 0; i < 2_000; i++) {
			this.queues.heardOf("q" + i);
		}
		assertThat(this.queues.all()).hasSize(1_000);
		learn(Map.of("named", false));
		learn(Map.of("named", false));
		assertThat(this.queues.all()).containsOnlyKeys("named");
		this.queues.heardOf("heard");
		assertThat(this.queues.all()).containsOnlyKeys("named", "heard");
	}

	@Test
	void theQueuesOfTheApplicationAreNeverMissing() {
		learn(Map.of());
		verify(this.store).registerQueues(Set.of("named"));
		assertThat(this.queues.all()).isEqualTo(Map.of("named", false));
	}

	@Test
	void aQueueOfTheApplicationThatBeatsTellOfNoMoreIsWrittenAgainOnce() {
		learn(Map.of("named", true));
		learn(Map.of());
		verify(this.store).registerQueues(Set.of("named"));
		verifyNoMoreInteractions(this.store);
		assertThat(this.queues.all()).as("paused").isEqualTo(Map.of("named", false));
	}

}
