package io.gator.maintenance;

import io.gator.store.WorkerStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.InOrder;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;

@ExtendWith(OutputCaptureExtension.class)
class QueueKeeperTests {

	private final WorkerStore store = mock(WorkerStore.class);

	private final Runnable registerOwn = mock(Runnable.class);

	private final QueueKeeper keeper = new QueueKeeper(this.store, this.registerOwn);

	@Test
	void aProcessSaysWhichQueuesAreItsOwnBeforeItForgetsUnusedOnes() {
		this.keeper.forgetUnused();
		InOrder order = inOrder(this.registerOwn, this.store);
		order.verify(this.registerOwn).run();
		order.verify(this.store).forgetUnusedQueues();
	}

	@Test
	void theLogSaysHowManyQueuesWereAddedAndRemovedUnlessThereWereNone(CapturedOutput output) {
		this.keeper.registerMissing();
		this.keeper.forgetUnused();
		assertThat(output).doesNotContain("gator_queue");
		given(this.store.registerMissingQueues()).willReturn(1);
		given(this.store.forgetUnusedQueues()).willReturn(2);
		this.keeper.registerMissing();
		this.keeper.forgetUnused();
		assertThat(output).contains("1 queues that hold jobs were missing", "2 queues were removed");
	}

}
