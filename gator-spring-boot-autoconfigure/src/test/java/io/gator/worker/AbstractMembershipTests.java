package io.gator.worker;

import java.time.Duration;
import java.util.Set;
import java.util.function.IntSupplier;

import io.gator.store.WorkerStore;
import org.junit.jupiter.api.BeforeEach;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;

/**
 * The membership of a pool whose store answers as a test says.
 */
abstract class AbstractMembershipTests {

	static final long ID = 7;

	final WorkerStore store = TestWorkers.beating();

	final KnownQueues queues = new KnownQueues(this.store, TestSettings.slots(10).get(), Set.of());

	boolean lockExpected = true;

	@BeforeEach
	void answer() {
		given(this.store.register(any())).willReturn(ID);
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
