package io.gator.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.gator.Job;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Pools whose numbers of slots change while they run, and which do not poll by themselves
 * before an hour is over.
 */
class PoolResizeTests {

	private final Table table = new Table();

	private final TestServices services = new TestServices(this.table, Work.class);

	private final WorkerPool pool = new WorkerPool(TestSettings.slots(1)
		.name("default")
		.queues(Map.of("default", 1))
		.pollInterval(Duration.ofHours(1))
		.lease(Duration.ofHours(1))
		.get(), TestWorkers.beating(), this.services.get(), (queues) -> {
		});

	private final LocalPools pools = new LocalPools(() -> List.of(this.pool));

	@BeforeEach
	void prepare() {
		Work.begun = new Semaphore(0);
		Work.mayEnd = new CountDownLatch(1);
		Work.users.clear();
		for (long id = 1; id <= 5; id++) {
			this.table.waiting.add(TestClaimedJob.of(id, "Work").get());
		}
	}

	@AfterEach
	void stop() {
		Work.mayEnd.countDown();
		this.pool.stop();
		this.services.close();
	}

	@Test
	void aPoolThatGetsMoreSlotsFillsThemAtOnce() throws Exception {
		this.pool.start();
		begins(1);
		this.pools.resize("default", 3);
		begins(2);
		assertThat(this.table.waiting).hasSize(2);
		assertThat(this.pool.status().slots()).isEqualTo(3);
		assertThat(this.pool.status().busy()).isEqualTo(3);
		assertThat(this.pools.concurrency()).containsExactly(Map.entry("default", 3));
	}

	@Test
	void newSlotsInheritNothingFromTheThreadThatResizes() throws Exception {
		this.pool.start();
		begins(1);
		Work.user.set("the user of a request");
		try {
			this.pools.resize("default", 3);
			begins(2);
		}
		finally {
			Work.user.remove();
		}
		assertThat(Work.users).containsExactly("nobody", "nobody", "nobody");
	}

	@Test
	void aPoolThatIsResizedBeforeItsStartOrBetweenTwoStartsBeginsWithThatManySlots() throws Exception {
		this.pools.resize("default", 2);
		assertThat(this.pool.status().slots()).isEqualTo(2);
		this.pool.start();
		begins(2);
		assertThat(this.table.waiting).hasSize(3);
		Work.mayEnd.countDown();
		begins(3);
		this.pool.stop();
		this.pool.start();
		assertThat(this.pool.status().slots()).isEqualTo(2);
	}

	@Test
	void whatCannotBeIsRefused() {
		for (int number : new int[] { 0, -1, 10_001 }) {
			assertThatIllegalArgumentException().isThrownBy(() -> this.pools.resize("default", number))
				.withMessage("The concurrency of pool 'default' is to be " + number + ", but must be 1 to 10000");
		}
		assertThatIllegalArgumentException().isThrownBy(() -> this.pools.resize("reports", 3))
			.withMessage("This process has no pool 'reports'. Its pools: [default]");
		assertThat(this.pools.concurrency()).containsExactly(Map.entry("default", 1));
	}

	private static void begins(int jobs) throws InterruptedException {
		assertThat(Work.begun.tryAcquire(jobs, 30, TimeUnit.SECONDS)).as("%d jobs begin", jobs).isTrue();
	}

	/** Gives as many jobs as are asked for. */
	private static final class Table extends FakeJobStore {

		final Queue<ClaimedJob> waiting = new ConcurrentLinkedQueue<>();

		@Override
		public List<ClaimedJob> claim(ClaimRequest request) {
			List<ClaimedJob> claimed = new ArrayList<>();
			for (int i = 0; i < request.total() && !this.waiting.isEmpty(); i++) {
				claimed.add(this.waiting.remove());
			}
			return claimed;
		}

	}

	@Job
	static class Work {

		static final ThreadLocal<String> user = new InheritableThreadLocal<>();

		static final Queue<String> users = new ConcurrentLinkedQueue<>();

		static volatile Semaphore begun = new Semaphore(0);

		static volatile CountDownLatch mayEnd = new CountDownLatch(1);

		void handle() throws InterruptedException {
			users.add(Objects.requireNonNullElse(user.get(), "nobody"));
			begun.release();
			mayEnd.await();
		}

	}

}
