package io.gator.worker;

import java.io.IOException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.gator.Job;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.LookRequest;
import io.gator.store.Settlement;
import io.gator.store.WorkerStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * P7: the watch that stops the jobs of a pool that cannot beat outlasts whatever stopping
 * one of them throws.
 */
class PoolWatchTests {

	@Test
	void aHandlerWhoseInterruptThrowsKeepsNoLaterOneFromBeingStopped() throws Exception {
		AtomicLong identities = new AtomicLong();
		WorkerStore workers = mock(WorkerStore.class);
		given(workers.register(any())).willAnswer((call) -> identities.incrementAndGet());
		given(workers.beat(anyLong(), anyInt(), any(), any()))
			.willReturn(new WorkerStore.Beat(true, Set.of(), Map.of(), false, ""));
		try (TestServices services = new TestServices(new TwoJobs(), Closes.class, Waits.class)) {
			// Beats once for each identity, and never again.
			WorkerPool pool = new WorkerPool(TestSettings.slots(2)
				.queues(Map.of("default", 1))
				.pollInterval(Duration.ofMillis(50))
				.lease(Duration.ofMillis(1_500))
				.get(), workers, services.get(), (queues) -> {
				});
			pool.start();
			assertThat(Closes.interrupted.await(30, TimeUnit.SECONDS)).isTrue();
			assertThat(Waits.interrupted.await(30, TimeUnit.SECONDS)).isTrue();
			pool.stop();
		}
	}

	/** The second comes once the first was interrupted. */
	private static final class TwoJobs extends FakeJobStore {

		private int claimed;

		@Override
		public List<ClaimedJob> claim(ClaimRequest request) {
			if (this.claimed == 0) {
				this.claimed++;
				return List.of(TestClaimedJob.of(1, "Closes").get());
			}
			if (this.claimed == 1 && Closes.interrupted.getCount() == 0 && request.worker() > 1) {
				this.claimed++;
				return List.of(TestClaimedJob.of(2, "Waits").get());
			}
			return List.of();
		}

		@Override
		public Set<LookRequest> look(List<LookRequest> requests) {
			return Set.copyOf(requests);
		}

		@Override
		public synchronized <S extends Settlement> Set<Long> settle(Class<S> kind, List<S> batch) {
			return Set.of();
		}

	}

	@Job
	static class Closes {

		static final CountDownLatch interrupted = new CountDownLatch(1);

		void handle() throws Exception {
			try (Channel channel = new Channel()) {
				channel.read();
			}
		}

	}

	/** Is closed by the thread that interrupts its reader. */
	private static final class Channel extends AbstractInterruptibleChannel {

		void read() throws Exception {
			begin();
			try {
				Closes.interrupted.await();
			}
			finally {
				end(true);
			}
		}

		@Override
		protected void implCloseChannel() throws IOException {
			Closes.interrupted.countDown();
			throw new IllegalStateException("cannot be closed");
		}

	}

	@Job
	static class Waits {

		static final CountDownLatch interrupted = new CountDownLatch(1);

		void handle() throws InterruptedException {
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				interrupted.countDown();
				throw ex;
			}
		}

	}

}
