package io.gator.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.gator.maintenance.Heartbeat;
import io.gator.maintenance.HistoryPruner;
import io.gator.maintenance.QueueKeeper;
import io.gator.maintenance.RecurringTicker;
import io.gator.maintenance.Rescuer;
import io.gator.maintenance.Upkeep;
import io.gator.store.GatorStores;
import io.gator.store.Notifications;
import io.gator.store.WorkerStore;
import io.gator.worker.NotificationListener;
import io.gator.worker.PoolSettings;
import io.gator.worker.WorkerMetrics;
import io.gator.worker.WorkerPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Which duties there are, and when a free lock is believed.
 */
class GatorWorkerAutoConfigurationTests {

	private final GatorWorkerAutoConfiguration configuration = new GatorWorkerAutoConfiguration();

	private final Rescuer rescuer = mock(Rescuer.class);

	private final Upkeep upkeep = new Upkeep(List.of());

	private final AtomicInteger beats = new AtomicInteger();

	@BeforeEach
	void start() {
		this.upkeep.start();
	}

	@AfterEach
	void stop() {
		this.upkeep.stop();
	}

	@Test
	void aFreeLockIsBelievedWhileBeatsComeInTimeAndTheListenerHears() throws Exception {
		assertThat(rescuedByLocks(false, new DefaultListableBeanFactory())).isTrue();
		assertThat(rescuedByLocks(false, listening(false))).isTrue();
	}

	@Test
	void aFreeLockIsNotBelievedAfterABeatThatFailedNorAfterTheListenerBroke() throws Exception {
		assertThat(rescuedByLocks(true, new DefaultListableBeanFactory())).as("a beat has failed").isFalse();
		assertThat(rescuedByLocks(false, listening(true))).as("the listener has broken").isFalse();
	}

	@Test
	void theListenerOfAContextAboveSaysNothing() throws Exception {
		assertThat(rescuedByLocks(false, new DefaultListableBeanFactory(listening(true)))).isTrue();
	}

	private static DefaultListableBeanFactory listening(boolean broken) {
		NotificationListener listener = mock(NotificationListener.class);
		given(listener.hasBroken(Heartbeat.STEADY)).willReturn(broken);
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerSingleton("gatorNotificationListener", listener);
		return beans;
	}

	/** How the first pool that is missed is rescued. */
	private boolean rescuedByLocks(boolean firstBeatFails, DefaultListableBeanFactory beans) throws Exception {
		this.beats.set(0);
		BlockingQueue<Boolean> byLocks = new LinkedBlockingQueue<>();
		given(this.rescuer.runOnce(anyBoolean())).will((call) -> {
			byLocks.add(call.getArgument(0));
			return 0;
		});
		WorkerPool pool = mock(WorkerPool.class);
		given(pool.settings()).willReturn(new PoolSettings("default", 1, Map.of(), false, Duration.ofSeconds(1),
				Duration.ZERO, Duration.ofHours(1), Duration.ofSeconds(30), Duration.ZERO, false));
		given(pool.beat()).will((call) -> {
			if (this.beats.getAndIncrement() == 0 && firstBeatFails) {
				throw new IllegalStateException("no connection");
			}
			return true;
		});
		Heartbeat heartbeat = this.configuration.gatorHeartbeat(new WorkerPools(List.of(pool)), this.upkeep,
				this.rescuer, beans);
		for (int beat = firstBeatFails ? 0 : 1; beat < 2; beat++) {
			ReflectionTestUtils.invokeMethod(heartbeat, "runOnce");
		}
		return Objects.requireNonNull(byLocks.poll(30, TimeUnit.SECONDS));
	}

	@Test
	@SuppressWarnings("unchecked")
	void noDutyIsForgottenAndThoseThatTakeLongDoNotHoldUpTheTicks() {
		HistoryPruner pruner = mock(HistoryPruner.class);
		QueueKeeper queues = mock(QueueKeeper.class);
		RecurringTicker ticker = mock(RecurringTicker.class);
		Upkeep made = this.configuration.gatorUpkeep(ticker, this.rescuer, queues, pruner);
		List<Upkeep.Duty> duties = (List<Upkeep.Duty>) Objects
			.requireNonNull(ReflectionTestUtils.getField(made, "duties"));
		duties.forEach((duty) -> duty.work().run());
		then(ticker).should().runOnce();
		then(queues).should().registerMissing();
		then(queues).should().forgetUnused();
		then(this.rescuer).should().runThoroughly();
		then(pruner).should().runIfDue();
		assertThat(duties).filteredOn((duty) -> !duty.slow())
			.singleElement()
			.satisfies((ticks) -> assertThat(ticks.interval()).isLessThan(Duration.ofSeconds(1)));
	}

	@Test
	@SuppressWarnings("unchecked")
	void whatWasRescuedFromPoolsOtherThanThoseOfThisProcessIsCountedAndLookedForAtOnce() {
		WorkerPool pool = mock(WorkerPool.class);
		given(pool.identities()).willReturn(List.of(3L, 4L));
		WorkerPool other = mock(WorkerPool.class);
		given(other.identities()).willReturn(List.of(5L));
		WorkerStore workers = mock(WorkerStore.class);
		given(workers.rescue(List.of(3L, 4L, 5L), true)).willReturn(List.of(10L, 11L));
		GatorStores stores = mock(GatorStores.class);
		given(stores.workers()).willReturn(workers);
		WorkerMetrics metrics = mock(WorkerMetrics.class);
		ObjectProvider<WorkerMetrics> provider = mock(ObjectProvider.class);
		given(provider.orderedStream()).willReturn(Stream.of(metrics));
		Announcements announcements = mock(Announcements.class);
		Rescuer made = this.configuration.gatorRescuer(stores, new WorkerPools(List.of(pool, other)), announcements,
				provider);
		assertThat(made.runOnce(true)).isEqualTo(2);
		then(metrics).should().rescued(2);
		then(announcements).should().workIn(List.of(Notifications.ANYWHERE));
	}

}
