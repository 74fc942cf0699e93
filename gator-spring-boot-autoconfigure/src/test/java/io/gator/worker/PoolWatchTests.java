package io.gator.worker;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.gator.Job;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.LookRequest;
import io.gator.store.Settlement;
import io.gator.store.WorkerStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;

/**
 * P7: the watch that stops the jobs of a pool that cannot beat outlasts whatever is
 * thrown meanwhile.
 */
class PoolWatchTests {

	private final Logger log = (Logger) LoggerFactory.getLogger(Fence.class);

	private final FullLog full = new FullLog();

	@BeforeEach
	void fillTheLog() {
		this.full.start();
		this.log.addAppender(this.full);
	}

	@AfterEach
	void emptyTheLog() {
		this.log.detachAppender(this.full);
	}

	@Test
	void aLogThatThrowsKeepsNoIdentityFromBeingGivenUp() throws Exception {
		AtomicLong identities = new AtomicLong();
		WorkerStore workers = TestWorkers.beating();
		given(workers.register(any())).willAnswer((call) -> identities.incrementAndGet());
		try (TestServices services = new TestServices(new TwoJobs(), Waits.class)) {
			// Beats once for each identity, and never again.
			WorkerPool pool = new WorkerPool(TestSettings.slots(2)
				.queues(Map.of("default", 1))
				.pollInterval(Duration.ofMillis(50))
				.lease(Duration.ofMillis(1_500))
				.get(), workers, services.get(), (queues) -> {
				});
			pool.start();
			assertThat(Waits.interrupted.await(30, TimeUnit.SECONDS)).isTrue();
			assertThat(this.full.refused).as("lines").hasPositiveValue();
			pool.stop();
		}
	}

	/** The second comes once the first was interrupted. */
	private static final class TwoJobs extends FakeJobStore {

		private int claimed;

		@Override
		public List<ClaimedJob> claim(ClaimRequest request) {
			if (this.claimed == 2 || Waits.interrupted.getCount() > 2 - this.claimed
					|| request.worker() <= this.claimed) {
				return List.of();
			}
			return List.of(TestClaimedJob.of(++this.claimed, "Waits").get());
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

	/** As one whose disk is full may do. */
	private static final class FullLog extends AppenderBase<ILoggingEvent> {

		private final AtomicInteger refused = new AtomicInteger();

		@Override
		public synchronized void doAppend(ILoggingEvent event) {
			if (event.getLevel() == Level.WARN) {
				this.refused.incrementAndGet();
				throw new IllegalStateException("the log is full");
			}
		}

		@Override
		protected void append(ILoggingEvent event) {
		}

	}

	@Job
	static class Waits {

		static final CountDownLatch interrupted = new CountDownLatch(2);

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
