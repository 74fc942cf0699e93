package io.gator.worker;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.gator.store.Notifications;
import io.gator.store.StoreExceptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.InOrder;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * P9: of what pools are told by the session that listens.
 */
class NotificationListenerTests {

	private static final int LONG = 30_000;

	private final BlockingQueue<List<String>> said = new LinkedBlockingQueue<>();

	private final Notifications.Session session = mock(Notifications.Session.class);

	private final Notifications notifications = mock(Notifications.class);

	private final WorkerPool pool = mock(WorkerPool.class);

	private NotificationListener listener;

	@BeforeEach
	void create() {
		given(this.session.await(any())).willAnswer((call) -> {
			List<String> queues = this.said.poll(call.getArgument(0, Duration.class).toNanos(), TimeUnit.NANOSECONDS);
			if (queues != null && queues.isEmpty()) {
				throw StoreExceptions.answerLost();
			}
			return (queues != null) ? queues : List.of();
		});
		given(this.pool.settings()).willReturn(TestSettings.slots(1).get());
		this.listener = listener(Duration.ofSeconds(1), this.pool);
	}

	private NotificationListener listener(Duration heartbeat, WorkerPool... pools) {
		return new NotificationListener(this.notifications, List.of(pools), heartbeat);
	}

	private void giveAnIdentity() {
		given(this.pool.identities()).willReturn(List.of(7L));
		given(this.session.lock(7)).willReturn(true);
	}

	private void listen() throws Exception {
		given(this.notifications.open()).willReturn(this.session);
		this.listener.start();
	}

	@AfterEach
	void stop() {
		this.listener.stop();
	}

	@Test
	void eachSessionBeginsWithALookForWhatWasSaidBeforeIt() throws Exception {
		listen();
		verify(this.pool, timeout(LONG)).wake(List.of(Notifications.ANYWHERE));
		this.said.add(List.of());
		verify(this.pool, timeout(LONG).times(2)).wake(List.of(Notifications.ANYWHERE));
		assertThat(this.listener.isListening()).isTrue();
	}

	@Test
	void whatIsSaidReachesThePoolsAndAPoolThatIsAskedToBeatsBeforeItLooks() throws Exception {
		listen();
		this.said.add(List.of("a", "b"));
		verify(this.pool, timeout(LONG)).wake(List.of("a", "b"));
		this.said.add(List.of(Notifications.CHANGE));
		verify(this.pool, timeout(LONG)).wake(List.of(Notifications.CHANGE));
		InOrder order = inOrder(this.pool);
		order.verify(this.pool).wake(List.of("a", "b"));
		order.verify(this.pool).beat();
		order.verify(this.pool).wake(List.of(Notifications.CHANGE));
		verify(this.pool).beat();
	}

	@Test
	void theServerIsToKeepTheSessionForTheLongestLease() throws Exception {
		WorkerPool patient = mock(WorkerPool.class);
		given(patient.settings()).willReturn(TestSettings.slots(1).lease(Duration.ofHours(1)).get());
		this.listener = listener(Duration.ofSeconds(1), this.pool, patient, this.pool);
		listen();
		verify(this.session, timeout(LONG)).outlast(Duration.ofHours(1));
	}

	@Test
	void itLooksOftenForIdentitiesWithoutALockAtFirstAndThenTenTimesASecond() throws Exception {
		listen();
		verify(this.session, timeout(LONG).atLeastOnce()).await(Duration.ofMillis(5));
		verify(this.session, timeout(LONG).atLeastOnce()).await(Duration.ofMillis(100));
		verify(this.pool, never()).wake(List.of());
		verify(this.session, never()).check();
	}

	@Test
	void itLooksForIdentitiesWithoutALockAsOftenAsPoolsBeat() throws Exception {
		this.listener = listener(Duration.ofMillis(50), this.pool);
		listen();
		verify(this.session, timeout(LONG).atLeastOnce()).await(Duration.ofMillis(50));
	}

	@Test
	void itListensOnOneSessionThoughItIsStartedTwice() throws Exception {
		listen();
		this.listener.start();
		verify(this.pool, timeout(LONG)).wake(List.of(Notifications.ANYWHERE));
		verify(this.session, timeout(LONG).atLeastOnce()).await(Duration.ofMillis(100));
		verify(this.notifications).open();
	}

	@Test
	void theSessionIsClosedWhenTheListenerHasStopped() throws Exception {
		Thread stopping = Thread.currentThread();
		willAnswer((call) -> {
			// So that it cannot be closed in time by chance.
			await().until(() -> stopping.getState() == Thread.State.TIMED_WAITING);
			return null;
		}).given(this.session).close();
		listen();
		verify(this.session, timeout(LONG).atLeastOnce()).await(any());
		this.listener.stop();
		verify(this.pool).expectLock(false);
		assertThat(this.listener.isListening()).isFalse();
	}

	@Test
	void whoIsInterruptedWhileItStopsTheListenerStaysInterrupted() throws Exception {
		listen();
		Thread.currentThread().interrupt();
		this.listener.stop();
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void nobodyIsHeardWhileNoOtherSessionCanBeHad() throws Exception {
		given(this.notifications.open()).willReturn(this.session).willThrow(StoreExceptions.passing());
		this.listener.start();
		verify(this.pool, timeout(LONG)).wake(List.of(Notifications.ANYWHERE));
		assertThat(this.listener.isListening()).isTrue();
		this.said.add(List.of());
		await().until(() -> !this.listener.isListening());
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void itTriesLessAndLessOftenToOpenASessionUntilItHasOne(CapturedOutput output) throws Exception {
		List<Long> times = new CopyOnWriteArrayList<>();
		given(this.notifications.open()).willAnswer((call) -> {
			times.add(System.nanoTime());
			if (times.size() <= 4) {
				throw StoreExceptions.passing();
			}
			return this.session;
		});
		this.listener.start();
		verify(this.pool, timeout(LONG)).wake(List.of(Notifications.ANYWHERE));
		assertThat(Duration.ofNanos(times.get(4) - times.get(0))).as("half of 50, 100, 200 and 400 ms, and no less")
			.isGreaterThanOrEqualTo(Duration.ofMillis(375));
		assertThat(output).contains("The listener works again");
	}

	@Test
	void whereThereIsNoMemoryToTellThatASessionBrokeItIsToldBeforeTheNextOne() throws Exception {
		giveAnIdentity();
		willThrow(new OutOfMemoryError()).willDoNothing().given(this.pool).lockLost(7, false);
		listen();
		verify(this.pool, timeout(LONG)).wake(List.of(Notifications.ANYWHERE));
		this.said.add(List.of());
		verify(this.pool, timeout(LONG).times(2)).wake(List.of(Notifications.ANYWHERE));
		InOrder order = inOrder(this.pool);
		order.verify(this.pool, times(2)).lockLost(7, false);
		order.verify(this.pool).wake(List.of(Notifications.ANYWHERE));
	}

	@Test
	void poolsAreToldHowTheSessionBrokeAndNotWhatFailedBeforeTheyCouldBeTold() throws Exception {
		giveAnIdentity();
		willThrow(StoreExceptions.shutdown()).given(this.session).await(any());
		given(this.notifications.open()).willReturn(this.session).willThrow(StoreExceptions.passing());
		willThrow(new OutOfMemoryError()).willDoNothing().given(this.pool).lockLost(7, true);
		this.listener.start();
		verify(this.pool, timeout(LONG).times(2)).lockLost(7, true);
	}

	@Test
	void poolsAreToldOfEachSessionHowItBroke() throws Exception {
		giveAnIdentity();
		willThrow(StoreExceptions.shutdown(), StoreExceptions.answerLost()).given(this.session).await(any());
		listen();
		verify(this.pool, timeout(LONG).atLeastOnce()).lockLost(7, false);
		InOrder order = inOrder(this.pool);
		order.verify(this.pool).lockLost(7, true);
		order.verify(this.pool, atLeastOnce()).lockLost(7, false);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void wherePoolersStandInBetweenNobodyWaitsForALock(CapturedOutput output) throws Exception {
		willThrow(mock(Notifications.PooledException.class)).given(this.notifications).open();
		this.listener.start();
		verify(this.pool, timeout(LONG)).expectLock(false);
		InOrder order = inOrder(this.pool);
		order.verify(this.pool).expectLock(true);
		order.verify(this.pool).expectLock(false);
		assertThat(this.listener.isListening()).isFalse();
		assertThat(output).contains("polling serves alone");
	}

}
