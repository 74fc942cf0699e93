package io.gator.worker;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.gator.store.Settlement;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SlotsTests {

	private final BlockingQueue<Settlement> settled = new LinkedBlockingQueue<>();

	@Test
	void anErrorThatNobodyForesawIsChargedOrItsJobWouldBeRunForEver() throws Exception {
		Buffer buffer = new Buffer();
		Slots slots = new Slots(TestSettings.slots(1).get(), buffer, new Settled(), new Prefetch(1, 0), (busy) -> {
		});
		slots.start();
		buffer.put(List.of(new Unforeseen()));
		assertThat(this.settled.poll(30, TimeUnit.SECONDS)).isInstanceOfSatisfying(Settlement.Requeued.class,
				(back) -> {
					assertThat(back.charged()).isTrue();
					assertThat(back.error()).contains("unexpected").contains("never thought of");
				});
		buffer.put(List.of(new TestExecution(2)));
		assertThat(this.settled.poll(30, TimeUnit.SECONDS)).as("the slot goes on")
			.isInstanceOf(Settlement.Succeeded.class);
		slots.stop();
	}

	/** Throws where no handler is called. */
	private static final class Unforeseen extends Execution {

		Unforeseen() {
			super(1, 0);
		}

		@Override
		Collection<Long> ids() {
			return List.of(1L);
		}

		@Override
		int size() {
			return 1;
		}

		@Override
		String describe() {
			return "job 1";
		}

		@Override
		void run(Settlements settlements) {
			throw new IllegalStateException("never thought of");
		}

		@Override
		void release(Settlements settlements) {
			settlements.settle(this, new Settlement.Requeued(1, 1, null, null, null, false, 0), Settlements.NOTHING);
		}

	}

	private final class Settled implements Settlements {

		@Override
		public void settle(Execution execution, Settlement settlement, Runnable landed) {
			SlotsTests.this.settled.add(settlement);
		}

		@Override
		public void settleUnlessDone(Execution execution, Settlement settlement, Runnable done) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void settled(Execution execution, Settlement settlement) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void lost(Execution execution) {
			throw new UnsupportedOperationException();
		}

	}

}
