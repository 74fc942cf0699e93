package io.gator.worker;

import java.time.Duration;
import java.util.Set;
import java.util.function.IntSupplier;

import io.gator.store.WorkerStore;
import org.junit.jupiter.api.BeforeEach;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willReturn;

/**
 * The membership of a pool whose store answers as a test says.
 */
abstract class AbstractMembershipTests {

	static final long ID = 7;

	final WorkerStore store = TestWorkers.beating();

	final KnownQueues queues = new KnownQueues(this.store, TestSettings.slots(10).get(), Set.of());

	boolean lockExpected = true;

	@BeforeEach
	void register() {
		given(this.store.register(any())).willReturn(ID);
	}

	/** Answers each beat from now on. */
	void answer(WorkerStore.Beat beat) {
		willReturn(beat).given(this.store).beat(anyLong(), anyInt(), anyInt(), any(), any());
	}

	/** One that beats each second, with a lease of thirty. */
	Membership membership() {
		return membership(new InFlight());
	}

	Membership membership(InFlight inFlight) {
		return membership(Duration.ofSeconds(1), Duration.ofSeconds(30), inFlight);
	}

	/** One that has no identity yet. */
	Membership newMembership() {
		return newMembership(Duration.ofSeconds(1), Duration.ofSeconds(30), new InFlight());
	}

	Membership membership(Duration heartbeat, Duration lease) {
		return membership(heartbeat, lease, new InFlight());
	}

	Membership membership(Duration heartbeat, Duration lease, InFlight inFlight) {
		Membership membership = newMembership(heartbeat, lease, inFlight);
		membership.require();
		return membership;
	}

	Membership newMembership(Duration heartbeat, Duration lease, InFlight inFlight) {
		return newMembership(heartbeat, lease, inFlight, () -> 10);
	}

	Membership newMembership(Duration heartbeat, Duration lease, InFlight inFlight, IntSupplier slots) {
		WorkerStore.Registration registration = new WorkerStore.Registration("default", "here", 1, heartbeat, lease,
				Set.of(), Set.of(), 10);
		return new Membership(this.store, registration, this.queues, inFlight, slots, Duration.ofSeconds(10),
				() -> this.lockExpected);
	}

}
