package io.gator.worker;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.Supplier;

import io.gator.Job;
import io.gator.JobContext;
import io.gator.JobSnoozedException;
import io.gator.store.ClaimRequest;
import io.gator.store.ClaimedJob;
import io.gator.store.LookRequest;
import io.gator.store.Notifications;
import io.gator.store.Settlement;
import io.gator.store.StoreExceptions;
import io.gator.store.WorkerStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.BDDMockito.given;

/**
 * What makes a pool look for work that would not ask by itself before an hour is over.
 */
class PoolWakeTests {

	private final Table table = new Table();

	private final TestServices services = new TestServices(this.table, Work.class, Quick.class, Holds.class,
			Snoozes.class);

	private final WorkerStore workers = TestWorkers.beating();

	private final AtomicLong registered = new AtomicLong();

	private volatile Supplier<Long> register = this.registered::incrementAndGet;

	private volatile LongFunction<WorkerStore.Beat> beat = (worker) -> beat(true, "");

	private WorkerPool pool;

	@BeforeEach
	void start() {
		Work.done = new CountDownLatch(1);
		Holds.released = new CountDownLatch(1);
		// All of it before there are threads that call it.
		given(this.workers.register(any())).willAnswer((call) -> this.register.get());
		given(this.workers.beat(anyLong(), anyInt(), anyInt(), any(), any()))
			.willAnswer((call) -> this.beat.apply(call.getArgument(0)));
		this.pool = new WorkerPool(TestSettings.slots(1)
			.name("wake")
			.queues(Map.of("default", 1))
			.pollInterval(Duration.ofHours(1))
			.lease(Duration.ofHours(1))
			.prefetch(Duration.ofMillis(75))
			.get(), this.workers, this.services.get(), (queues) -> {
			});
	}

	@AfterEach
	void stop() {
		this.pool.stop();
		this.services.close();
	}

	@Test
	void aPoolOfSomeQueuesLooksWhereThereMayBeWorkAnywhere() throws Exception {
		this.pool.start();
		awaitSleep();
		this.table.holds(TestClaimedJob.of(1, "Work").get());
		this.pool.wake(List.of(Notifications.ANYWHERE));
		assertThat(Work.done.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void aPoolLooksWhenWhatItHasWrittenHasBroughtWork() throws Exception {
		this.table.holds(TestClaimedJob.of(1, "Snoozes").get());
		this.table.settled = () -> {
			awaitRest();
			this.table.holds(TestClaimedJob.of(2, "Work").get());
		};
		this.pool.start();
		assertThat(Work.done.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void aPoolLooksForWhatItHasGivenBackOnceASlotIsIdle() throws Exception {
		CountDownLatch back = new CountDownLatch(1);
		this.table.settled = back::countDown;
		// Quick jobs let the pool hold more than it has slots for, and look for more.
		// What waits for a slot goes back after twenty times the prefetch: by then
		// nothing else makes the pool look.
		this.table.holds(TestClaimedJob.of(1, "Quick").get());
		this.pool.start();
		awaitSleep();
		this.table.holds(TestClaimedJob.of(2, "Holds").get(), TestClaimedJob.of(3, "Work").get());
		this.pool.wake(List.of(Notifications.ANYWHERE));
		assertThat(back.await(30, TimeUnit.SECONDS)).as("the second job has waited for too long").isTrue();
		this.table.holds(TestClaimedJob.of(3, "Work").get());
		Holds.released.countDown();
		assertThat(Work.done.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void aPoolLooksWhenABeatTellsThatItsQueueIsNotPausedAnyMore() throws Exception {
		this.beat = (worker) -> new WorkerStore.Beat(true, Set.of(), Map.of("default", true), false, "");
		this.pool.start();
		awaitSleep();
		this.beat = (worker) -> new WorkerStore.Beat(true, Set.of(), Map.of("default", false), false, "");
		this.table.holds(TestClaimedJob.of(1, "Work").get());
		this.pool.beat();
		assertThat(Work.done.await(30, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void aPoolThatWasDeclaredDeadTakesAnotherIdentity() {
		this.pool.start();
		awaitSleep();
		this.beat = (worker) -> beat(worker != 1, "");
		this.pool.beat();
		await().until(() -> this.pool.identities().equals(List.of(2L)));
	}

	@Test
	void aPoolThatWasFencedTakesAnotherIdentityOnceTheDatabaseIsBack() throws Exception {
		this.pool.start();
		awaitSleep();
		CountDownLatch refused = new CountDownLatch(2);
		this.register = () -> {
			refused.countDown();
			if (refused.getCount() > 0) {
				throw StoreExceptions.passing();
			}
			return this.registered.incrementAndGet();
		};
		// It does not beat, and has three beats left until others take it for dead.
		this.pool.lockLost(1, false);
		assertThat(refused.await(30, TimeUnit.SECONDS)).isTrue();
		await().until(() -> this.pool.identities().equals(List.of(2L)));
	}

	@Test
	void aPoolLooksForLostJobsWhereAnotherServerHasTakenOver() throws Exception {
		this.pool.start();
		awaitSleep();
		this.beat = (worker) -> beat(true, "another");
		this.pool.beat();
		assertThat(this.table.searched.poll(30, TimeUnit.SECONDS)).isOne();
	}

	private static WorkerStore.Beat beat(boolean alive, String server) {
		return new WorkerStore.Beat(alive, Set.of(), Map.of(), false, server);
	}

	/**
	 * Until the pool looks for nothing by itself any more. A second after it has claimed
	 * a job it looks once more, for what was dispatched before and committed late.
	 */
	private void awaitRest() {
		await().until(() -> this.table.lastClaim - this.table.firstClaim > Marks.LAG_NANOS / 2);
		awaitSleep();
	}

	private void awaitSleep() {
		await().until(() -> this.table.next.isEmpty() && Thread.getAllStackTraces()
			.entrySet()
			.stream()
			.anyMatch((thread) -> thread.getKey().getName().equals("gator-wake-poller")
					&& thread.getKey().getState() == Thread.State.TIMED_WAITING
					&& List.of(thread.getValue()).stream().anyMatch((frame) -> frame.getMethodName().equals("loop"))
					&& this.pool.status().busy() == 0));
	}

	private static final class Table extends FakeJobStore {

		/** What the next claim takes. */
		volatile List<ClaimedJob> next = List.of();

		volatile long firstClaim;

		volatile long lastClaim;

		volatile Runnable settled = () -> {
		};

		/** The identities under which lost jobs were looked for. */
		final BlockingQueue<Long> searched = new LinkedBlockingQueue<>();

		void holds(ClaimedJob... jobs) {
			this.next = List.of(jobs);
		}

		@Override
		public List<ClaimedJob> claim(ClaimRequest request) {
			this.lastClaim = System.nanoTime();
			if (this.firstClaim == 0) {
				this.firstClaim = this.lastClaim;
			}
			List<ClaimedJob> jobs = this.next;
			this.next = List.of();
			return jobs;
		}

		@Override
		public Set<LookRequest> look(List<LookRequest> requests) {
			return this.next.isEmpty() ? Set.of() : Set.copyOf(requests);
		}

		@Override
		public <S extends Settlement> Set<Long> settle(Class<S> kind, List<S> batch) {
			if (kind == Settlement.Requeued.class) {
				this.settled.run();
			}
			return super.settle(kind, batch);
		}

		@Override
		public SearchStep releaseLost(long worker, Collection<Long> known, long page) {
			this.searched.add(worker);
			return new SearchStep(0, 0, 0);
		}

	}

	@Job
	static class Work {

		static CountDownLatch done = new CountDownLatch(1);

		void handle() {
			done.countDown();
		}

	}

	@Job
	static class Quick {

		void handle() {
		}

	}

	@Job
	static class Holds {

		static CountDownLatch released = new CountDownLatch(1);

		void handle() throws InterruptedException {
			released.await();
		}

	}

	@Job
	static class Snoozes {

		void handle(JobContext context) {
			throw new JobSnoozedException(Duration.ofSeconds(1));
		}

	}

}
