package io.gator.worker;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.gator.JobListener;
import io.gator.store.Settlement;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * When the thread that settles wakes, and when it ends. What it does once it is awake is
 * the business of {@link SettlerTests}.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class SettlerLoopTests {

	/**
	 * So often is repeated what a thread that is not woken does a second late, or more.
	 */
	private static final int TIMES = 20;

	private static final long SOON = TimeUnit.SECONDS.toNanos(TIMES / 2);

	private final FakeJobStore store = new FakeJobStore();

	private Settler settler = settler();

	private Thread thread = new Thread();

	private Settler settler() {
		return new Settler("test", this.store, new InFlight(), WorkerMetrics.NONE, (work, queues, back) -> {
		});
	}

	private void start() {
		this.thread = new Thread(this.settler::loop);
		this.thread.start();
	}

	@AfterEach
	void end() throws InterruptedException {
		closeWithin(0);
		this.thread.join();
	}

	private void closeWithin(long seconds) {
		this.settler.close(System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds));
	}

	private void settle(long id, Runnable landed) {
		this.settler.settle(new TestExecution(id), new Settlement.Succeeded(id, 1, null, null), landed);
	}

	private void settle(long id) {
		settle(id, Settlements.NOTHING);
	}

	/** Somebody holds its row. */
	private void setOneAside() {
		this.store.held.add(1_000L);
		this.store.failures.add(StoreExceptions.timeout());
		settle(1_000);
		this.settler.runOnce();
	}

	private void settleOneAfterTheOther() throws InterruptedException {
		long start = System.nanoTime();
		for (int i = 1; i <= TIMES; i++) {
			CountDownLatch landed = new CountDownLatch(1);
			settle(i, landed::countDown);
			landed.await();
		}
		assertThat(System.nanoTime() - start).isLessThan(SOON);
	}

	@Test
	void theFirstOutcomeWakesWhoHadNothingToWrite() throws InterruptedException {
		start();
		settleOneAfterTheOther();
	}

	@Test
	void anOutcomeWakesWhoWaitsForARowThatSomebodyHolds() throws InterruptedException {
		setOneAside();
		start();
		settleOneAfterTheOther();
	}

	@Test
	void theEndWakesWhoHasNothingToWrite() throws InterruptedException {
		long start = System.nanoTime();
		for (int i = 1; i <= TIMES; i++) {
			this.settler = settler();
			start();
			await().until(() -> this.thread.getState() == Thread.State.TIMED_WAITING);
			closeWithin(30);
			this.thread.join();
		}
		assertThat(System.nanoTime() - start).isLessThan(SOON);
	}

	@Test
	void theLoopEndsWhenItIsClosedAndAllIsWritten() {
		for (int id = 1; id <= 3000; id++) {
			settle(id);
		}
		this.store.failures.add(StoreExceptions.passing());
		closeWithin(3600);
		this.settler.loop();
		assertThat(this.store.writtenIds()).hasSize(3000);
		assertThat(this.settler.pending()).isZero();
	}

	@Test
	void theLoopGivesUpWhenItsTimeIsOver() {
		settle(1);
		for (int i = 0; i < 1000; i++) {
			this.store.failures.add(StoreExceptions.passing());
		}
		closeWithin(0);
		this.settler.loop();
		assertThat(this.store.written).isEmpty();
		assertThat(this.settler.pending()).isOne();
	}

	@Test
	void aRowThatIsFreeBeforeTheEndIsWritten() {
		setOneAside();
		this.store.held.clear();
		closeWithin(20);
		this.settler.loop();
		assertThat(this.store.writtenIds()).containsExactly(1_000L);
		assertThat(this.settler.pending()).isZero();
	}

	@Test
	void anOutcomeWhoseRowIsStillHeldWhenTheTimeIsOverIsGivenUp() {
		setOneAside();
		closeWithin(0);
		this.settler.loop();
		assertThat(this.store.written).isEmpty();
		assertThat(this.settler.pending()).isOne();
	}

	@Test
	void aListenerThatChangesTheClassLoaderOfTheThreadHandsItToNobody() throws InterruptedException {
		Queue<ClassLoader> loaders = new ConcurrentLinkedQueue<>();
		CountDownLatch landed = new CountDownLatch(1);
		JobListener listener = new JobListener() {
		};
		start();
		settle(1, () -> {
			loaders.add(Thread.currentThread().getContextClassLoader());
			Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
			ThreadState.clean(listener);
			loaders.add(Thread.currentThread().getContextClassLoader());
			landed.countDown();
		});
		landed.await();
		assertThat(loaders).hasSize(2).containsOnly(getClass().getClassLoader());
	}

}
